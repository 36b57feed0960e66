import { openSqliteIndex, openSqliteLog } from "@fairlead/journal";
import type { Engine } from "../engine.ts";
import { FileTokenStore } from "./file-token-store.ts";
import { FolderObjectStore } from "./folder-object-store.ts";
import { LocalBus } from "./local-bus.ts";
import { LocalHosts } from "./local-hosts.ts";
import { LocalWorkQueue } from "./local-work-queue.ts";

export interface LocalEngineOptions {
  readonly journalFile: string;
  readonly indexFile: string;
  /** The version of what the caller writes into rows of the index. An index of another version is rebuilt. */
  readonly indexContentVersion: number;
  readonly tokensFile: string;
  readonly objectsFolder: string;
}

/** Opens the engine of one machine. It needs no server: processes share SQLite databases and files. */
export async function openLocalEngine(options: LocalEngineOptions): Promise<Engine> {
  await using opening = new AsyncDisposableStack();
  const log = opening.use(await openSqliteLog({ file: options.journalFile }));
  const index = await openSqliteIndex({ file: options.indexFile, contentVersion: options.indexContentVersion });
  opening.use(index);
  const objects = await FolderObjectStore.open(options.objectsFolder);
  const bus = opening.use(new LocalBus());
  const queue = opening.use(new LocalWorkQueue());
  const resources = opening.move();
  return {
    log,
    index,
    hosts: new LocalHosts(),
    bus,
    queue,
    tokens: new FileTokenStore(options.tokensFile),
    objects,
    recovery: log.recovery,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

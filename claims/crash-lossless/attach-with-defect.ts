import { adapters } from "@fairlead/adapters";
import type { Adapter, Event } from "@fairlead/contract";
import { openSqliteLog } from "@fairlead/journal";
import { findKeeper, spoolFolder, SpoolReader, startKeeper } from "@fairlead/keeper";
import { Session, type Home } from "@fairlead/runtime";
import { realClock } from "../../packages/runtime/src/actor/clock.ts";
import { readNewestEvent } from "../../packages/runtime/src/actor/stored-events.ts";
import { SnapshotFile } from "../../packages/runtime/src/actor/snapshot.ts";
import { JournalWriter } from "../../packages/runtime/src/actor/journal-writer.ts";
import { SessionActor } from "../../packages/runtime/src/actor/session-actor.ts";

/** The wrong assumption of a defective runtime about the journal: it is empty, or it has everything in the spool. */
export type AttachDefect = "forgets" | "presumes";

/** Attaches like the runtime, except for the record after which the journal continues. */
export async function attachWithDefect(home: Home, session: string, defect: AttachDefect): Promise<Session> {
  const log = await openSqliteLog({ file: home.journalFile });
  const folder = home.sessionFolder(session);
  const found = await findKeeper(folder);
  if (found === "gone") throw new Error("The keeper must not be gone.");
  const owner = `${defect} ${process.pid}`;
  const claim = await log.claim(session, owner);
  const newest = await readNewestEvent(log, session);
  const actor = new SessionActor({
    adapter: findAdapter(newest),
    journal: new JournalWriter({ session, owner, claim, log, clock: realClock }),
    journaledUpTo: defect === "forgets" ? 0 : found.hello.lastSeq,
    spool: new SpoolReader(spoolFolder(folder)),
    snapshot: null,
    snapshotStore: new SnapshotFile(home.snapshotFile(session)),
    keeper: found,
    startKeeper: () => startKeeper(folder),
    environment: process.env,
    clock: realClock,
  });
  await actor.ready;
  return new Session(session, actor, log);
}

function findAdapter(event: Event | undefined): Adapter {
  const adapter = adapters.find(({ manifest }) => manifest.id === event?.agent);
  if (adapter === undefined) throw new Error("Nobody knows this agent.");
  return adapter;
}

import { adapters } from "@fairlead/adapters";
import type { Adapter, Opening } from "@fairlead/contract";
import type { Journal } from "@fairlead/journal";
import { spoolFolder, SpoolReader, startKeeper, type KeeperConnection } from "@fairlead/keeper";
import type { Environment } from "./child-environment.ts";
import { realClock } from "./clock.ts";
import type { Home } from "./home.ts";
import { FoldFile } from "./kept-fold.ts";
import { ownerName } from "./owner.ts";
import { Pen } from "./pen.ts";
import { probeHost } from "./probe-host.ts";
import { SessionActor } from "./session-actor.ts";
import { Session } from "./session.ts";

export interface Beginning {
  readonly id: string;
  readonly home: Home;
  readonly journal: Journal;
  readonly workspace: string;
  readonly environment: Environment;
  /** To the keeper of the session's folder. */
  readonly keeper: KeeperConnection;
}

/** Begins a session of the scripted agent as a runtime does, but with a keeper that the test has chosen. */
export async function beginSession(beginning: Beginning): Promise<Session> {
  const { id, home, journal: log, workspace, environment, keeper } = beginning;
  const adapter = adapters.find(({ manifest }) => manifest.id === "scripted") as Adapter;
  const folder = home.session(id);
  const owner = ownerName();
  const claim = await log.claim(id, owner);
  const actor = new SessionActor({
    adapter,
    pen: new Pen({ session: id, owner, claim, log, clock: realClock }),
    journaled: 0,
    spool: new SpoolReader(spoolFolder(folder)),
    kept: null,
    shelf: new FoldFile(folder),
    keeper,
    startKeeper: () => startKeeper(folder),
    environment,
    clock: realClock,
  });
  await actor.ready;
  const opening: Opening = {
    session: id,
    name: null,
    agent: adapter.manifest.id,
    adapterVersion: adapter.manifest.version,
    workspace,
    mode: "default",
    settings: {},
    finding: await adapter.probe(probeHost(environment, adapter.manifest.environment)),
    continues: null,
  };
  await actor.note({ type: "opening", opening }, "opening");
  await actor.note({ type: "wish", wish: { type: "open" } }, "open");
  return new Session(id, actor, log);
}

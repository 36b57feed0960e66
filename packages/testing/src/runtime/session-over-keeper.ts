import { adapters } from "@fairlead/adapters";
import type { Adapter, Opening } from "@fairlead/contract";
import { currentOwner } from "@fairlead/engine";
import type { Journal } from "@fairlead/journal";
import { spoolFolder, SpoolReader, startKeeper, type KeeperConnection } from "@fairlead/keeper";
import type { Environment } from "../../../runtime/src/host/child-environment.ts";
import { realClock } from "../../../runtime/src/actor/clock.ts";
import type { Home } from "../../../runtime/src/home.ts";
import type { SnapshotInterval } from "../../../runtime/src/actor/session-actor-options.ts";
import { SnapshotFile, type SnapshotStore } from "../../../runtime/src/actor/snapshot.ts";
import { JournalWriter } from "../../../runtime/src/actor/journal-writer.ts";
import { createProbeHost } from "../../../runtime/src/host/probe-host.ts";
import { SessionActor } from "../../../runtime/src/actor/session-actor.ts";
import { Session } from "../../../runtime/src/sessions/session.ts";

export interface SessionOverKeeperOptions {
  readonly id: string;
  readonly home: Home;
  readonly journal: Journal;
  readonly workspace: string;
  readonly environment: Environment;
  /** The connection to the keeper of the session's folder. */
  readonly keeper: KeeperConnection;
  /** A file in the data directory by default. */
  readonly snapshotStore?: SnapshotStore;
  readonly snapshotInterval?: SnapshotInterval;
}

/** Starts a session of the scripted agent as a runtime does, but with the keeper of the test. */
export async function startSessionOverKeeper(options: SessionOverKeeperOptions): Promise<Session> {
  const { id, home, journal: log, workspace, environment, keeper, snapshotInterval } = options;
  const adapter = adapters.find(({ manifest }) => manifest.id === "scripted") as Adapter;
  const folder = home.sessionFolder(id);
  const owner = currentOwner();
  const claim = await log.claim(id, owner);
  const actor = new SessionActor({
    adapter,
    journal: new JournalWriter({ session: id, owner, claim, log, clock: realClock }),
    journaledUpTo: 0,
    spool: new SpoolReader(spoolFolder(folder)),
    snapshot: null,
    snapshotStore: options.snapshotStore ?? new SnapshotFile(home.snapshotFile(id)),
    keeper,
    startKeeper: () => startKeeper(folder),
    environment,
    clock: realClock,
    ...(snapshotInterval && { snapshotInterval }),
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
    probeResult: await adapter.probe(createProbeHost(environment, adapter.manifest.environment)),
    continues: null,
  };
  await actor.submitNote({ type: "opening", opening }, "opening");
  await actor.submitNote({ type: "command", command: { type: "open" } }, "open");
  return new Session(id, actor, log);
}

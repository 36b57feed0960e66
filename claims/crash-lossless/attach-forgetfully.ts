import { adapters } from "@fairlead/adapters";
import type { Adapter, Event } from "@fairlead/contract";
import { openSqliteLog } from "@fairlead/journal";
import { findKeeper, spoolFolder, SpoolReader, startKeeper } from "@fairlead/keeper";
import { Session, type Home } from "@fairlead/runtime";
import { realClock } from "../../packages/runtime/src/clock.ts";
import { newestEvent } from "../../packages/runtime/src/event-bytes.ts";
import { FoldFile } from "../../packages/runtime/src/kept-fold.ts";
import { Pen } from "../../packages/runtime/src/pen.ts";
import { SessionActor } from "../../packages/runtime/src/session-actor.ts";

/** What a broken runtime believes of the journal: that it has nothing yet, or all that is in the spool. */
export type Amnesia = "forgets" | "presumes";

/** Attaches as the runtime does but for one thing, the record after which the journal is to go on. */
export async function attachForgetfully(home: Home, session: string, amnesia: Amnesia): Promise<Session> {
  const log = await openSqliteLog({ file: home.journal });
  const folder = home.session(session);
  const found = await findKeeper(folder);
  if (found === "gone") throw new Error("The keeper must not be gone.");
  const owner = `${amnesia} ${process.pid}`;
  const claim = await log.claim(session, owner);
  const newest = await newestEvent(log, session);
  const actor = new SessionActor({
    adapter: adapterOf(newest),
    pen: new Pen({ session, owner, claim, log, clock: realClock }),
    journaled: amnesia === "forgets" ? 0 : found.hello.lastSeq,
    spool: new SpoolReader(spoolFolder(folder)),
    kept: null,
    shelf: new FoldFile(folder),
    keeper: found,
    startKeeper: () => startKeeper(folder),
    environment: process.env,
    clock: realClock,
  });
  await actor.ready;
  return new Session(session, actor, log);
}

function adapterOf(event: Event | undefined): Adapter {
  const adapter = adapters.find(({ manifest }) => manifest.id === event?.agent);
  if (adapter === undefined) throw new Error("Nobody knows this agent.");
  return adapter;
}

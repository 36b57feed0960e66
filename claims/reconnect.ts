import { setTimeout as wait } from "node:timers/promises";
import type { Fairlead } from "@fairlead/api";
import type { Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { Chance } from "./chance.ts";
import type { Claim } from "./claim.ts";
import { Cutter } from "./daemon/cutter.ts";
import { Daemon } from "./daemon/daemon.ts";
import { erringClient, isCaught } from "./daemon/erring-client.ts";
import { Follower } from "./daemon/follower.ts";
import { addLosses, floodLosses, lossesOf, noLosses } from "./daemon/losses.ts";
import { machine } from "./daemon/machine.ts";
import { size } from "./daemon/size.ts";
import { startMany } from "./daemon/start-many.ts";
import { Ground } from "./ground.ts";

const sessions = size("sessions", 20);
const cuts = size("cuts", 1000);
const flood = { lines: 100, rate: 20 };

export const reconnect: Claim = {
  id: "reconnect",
  says: "A client whose connection breaks, at any byte, comes back by itself and sees what the journal has.",
  bound: `${cuts} cut streams over ${sessions} streaming sessions: every view equals the journal; a client that forgets or presumes its number is caught`,
  async prove() {
    const chance = Chance.fromEnvironment();
    await using ground = new Ground();
    await using daemon = await Daemon.up(ground);
    await using cutter = await Cutter.open(daemon.socket, chance);
    const fairlead = daemon.reach();
    const started = await startMany(fairlead, ground, sessions);
    const cut = daemon.reach(cutter.socket);
    const followers = started.map((session) => new Follower(cut, session));
    const controls = [erringClient(cutter.socket, () => 0), erringClient(cutter.socket, (after) => after + 1)].map(
      (wrong) => new Follower(wrong, started[0] ?? ""),
    );

    const isDone = (): boolean => cutter.cut.streams >= cuts;
    const failed = new AbortController();
    const streaming = Promise.all(started.map((id, at) => streamed(fairlead, id, followers[at], isDone)));
    streaming.catch(() => failed.abort());
    while (!isDone() && !failed.signal.aborted) {
      await wait(5); // the rate of the cuts, and not a guess at anything
      cutter.cutOne("streams");
    }
    const floods = await streaming;
    await Promise.all(followers.map(({ over }) => over));
    const caught = await Promise.all(controls.map(isCaught));

    let [losses, events] = [noLosses, 0];
    for (const [at, { seen }] of followers.entries()) {
      const journal = await ground.journal(started[at] ?? "");
      events += journal.length;
      losses = addLosses(addLosses(losses, lossesOf(seen, journal)), floodLosses(journal, flood.lines, floods[at]));
    }
    return {
      measured:
        `seed ${chance.seed}; ${cutter.cut.streams} streams cut over ${sessions} sessions of ${events} events in all: ${losses.lost} ` +
        `lost, ${losses.doubled} doubled, ${losses.altered} otherwise; ${caught.filter(Boolean).length} of 2 controls caught; ${machine()}`,
      holds: isDone() && events > 0 && Object.values(losses).every((count) => count === 0) && caught.every(Boolean),
    };
  },
};

/** Has a session speak until it is enough, and ends it; gives how many floods that took. */
async function streamed(
  fairlead: Fairlead,
  session: string,
  follower: Follower | undefined,
  isDone: () => boolean,
): Promise<number> {
  let [floods, seen] = [0, 0];
  const isOver = ({ body }: Event): boolean => body.type === "turn.ended";
  do {
    await fairlead.send(session, withScript("Go on.", [{ flood }]));
    floods += 1;
    seen = (await follower?.saw(isOver, seen)) ?? 0;
  } while (!isDone());
  await fairlead.stop(session);
  return floods;
}

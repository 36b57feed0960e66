import type { Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { processesOf } from "../packages/conformance/src/processes.ts";
import type { Claim } from "./claim.ts";
import { atOnce } from "./daemon/at-once.ts";
import { Daemon } from "./daemon/daemon.ts";
import { erringClient, isCaught } from "./daemon/erring-client.ts";
import { Follower } from "./daemon/follower.ts";
import { addLosses, floodLosses, lossesOf, noLosses } from "./daemon/losses.ts";
import { machine, processorTime } from "./daemon/machine.ts";
import { size } from "./daemon/size.ts";
import { startMany } from "./daemon/start-many.ts";
import { Ground } from "./ground.ts";

const sessions = size("sessions", 50);
const bound = 3000;
/** Slow enough for one machine, long enough to be in the middle of when the daemon is killed and found again. */
const flood = { lines: size("lines", 600), rate: 10 };

const isLine = ({ body }: Event): boolean => body.type === "text.ended";

export const daemonRestart: Claim = {
  id: "daemon-restart",
  says: "A daemon that is killed while agents work is followed by one that has them all again; clients just go on.",
  bound: `${sessions} sessions attached ≤ ${bound / 1000} s after the restart, 0 lost, 0 doubled, the same agents; a client that forgets its number is caught`,
  async prove() {
    await using ground = new Ground();
    let daemon = await Daemon.up(ground);
    await using _ending = { [Symbol.asyncDispose]: () => daemon.kill() };
    const fairlead = daemon.reach();
    const started = await startMany(fairlead, ground, sessions);
    const followers = started.map((session) => new Follower(fairlead, session));
    const control = new Follower(
      erringClient(daemon.socket, () => 0),
      started[0] ?? "",
    );
    const message = withScript("Go.", [{ flood }]);
    await Promise.all(started.map((session) => fairlead.send(session, message)));
    await Promise.all([control, ...followers].map((follower) => follower.saw(isLine)));

    const agents = started.map((session) => agentsOf(ground, session));
    await daemon.kill();
    const before = followers.map(({ seen }) => seen.length);
    const midTurn = followers.filter(({ seen }) => seen.at(-1)?.body.type !== "turn.ended").length;
    const began = performance.now();
    daemon = await Daemon.up(ground);
    const up = performance.now() - began;
    const { sessions: found } = await daemon.logged("sessions found again");
    const attached = performance.now() - began;
    const busy = processorTime(daemon.pid);
    await Promise.all(followers.map((follower, at) => follower.saw(() => true, before[at])));
    const followed = performance.now() - began;
    const same = agents.filter((pids, at) => pids !== "" && pids === agentsOf(ground, started[at] ?? ""));

    await Promise.all(followers.map((follower) => follower.saw(({ body }) => body.type === "turn.ended")));
    await atOnce(4, started, async (session) => await fairlead.stop(session));
    await Promise.all(followers.map(({ over }) => over));
    const caught = await isCaught(control);
    let [losses, events] = [noLosses, 0];
    for (const [at, { seen }] of followers.entries()) {
      const journal = await ground.journal(started[at] ?? "");
      events += journal.length;
      losses = addLosses(addLosses(losses, lossesOf(seen, journal)), floodLosses(journal, flood.lines));
    }
    const seconds = (time: number): string => `${(time / 1000).toFixed(2)} s`;
    return {
      measured:
        `${midTurn} of ${sessions} in their turns when it was killed; after the restart, up in ${seconds(up)}, ` +
        `${String(found)} attached in ${seconds(attached)} (${busy.toFixed(2)} s of a processor), all followers hear more in ${seconds(followed)}; ${events} events, ` +
        `${losses.lost} lost, ${losses.doubled} doubled, ${losses.altered} otherwise; ${same.length} agents the same; a client that ` +
        `forgets its number is ${caught ? "" : "not "}caught; ${machine()}`,
      holds:
        midTurn === sessions &&
        found === sessions &&
        attached <= bound &&
        same.length === sessions &&
        caught &&
        Object.values(losses).every((count) => count === 0),
    };
  },
};

/** The processes that the keeper of a session holds. */
function agentsOf(ground: Ground, session: string): string {
  const keeper = ground.keeper(session)?.pid;
  return processesOf(session)
    .filter(({ parent }) => parent === keeper)
    .map(({ pid }) => pid)
    .join();
}

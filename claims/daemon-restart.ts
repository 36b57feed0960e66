import type { Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { listSessionProcesses } from "../packages/conformance/src/session-processes.ts";
import type { Claim } from "../measure/claim.ts";
import { mapConcurrently } from "./daemon/map-concurrently.ts";
import { DaemonProcess } from "./daemon/daemon-process.ts";
import { createFaultyClient, isCaught } from "./daemon/faulty-client.ts";
import { SessionFollower } from "./daemon/session-follower.ts";
import { addLosses, countFloodLosses, countLosses, noLosses } from "./daemon/view-losses.ts";
import { describeMachine, readCpuSeconds } from "./daemon/machine.ts";
import { readSize } from "./daemon/size.ts";
import { startSessions } from "./daemon/start-many.ts";
import { TestHome } from "../measure/test-home.ts";

const sessions = readSize("sessions", 50);
const bound = 3000;
/** Slow enough for one machine, and long enough that the daemon is killed in its middle. */
const flood = { lines: readSize("lines", 600), rate: 10 };

const isLine = ({ body }: Event): boolean => body.type === "text.ended";

export const daemonRestart: Claim = {
  id: "daemon-restart",
  statement:
    "After a daemon is killed while agents work, the next daemon attaches to all of them, and clients continue.",
  bound: `${sessions} sessions attached ≤ ${bound / 1000} s after the restart, 0 lost, 0 doubled, the same agents; control: a client that forgets its position is detected`,
  async prove() {
    await using testHome = new TestHome();
    let daemon = await DaemonProcess.start(testHome);
    await using _ending = { [Symbol.asyncDispose]: () => daemon.kill() };
    const fairlead = daemon.connect();
    const sessionIds = await startSessions(fairlead, testHome, sessions);
    const followers = sessionIds.map((session) => new SessionFollower(fairlead, session));
    const control = new SessionFollower(
      createFaultyClient(daemon.socket, () => 0),
      sessionIds[0] ?? "",
    );
    const message = withScript("Go.", [{ flood }]);
    await Promise.all(sessionIds.map((session) => fairlead.send(session, message)));
    await Promise.all([control, ...followers].map((follower) => follower.waitForEvent(isLine)));

    const agents = sessionIds.map((session) => findAgentPids(testHome, session));
    await daemon.kill();
    const seenBefore = followers.map(({ events }) => events.length);
    const midTurn = followers.filter(({ events }) => events.at(-1)?.body.type !== "turn.ended").length;
    const startedAt = performance.now();
    daemon = await DaemonProcess.start(testHome);
    const upTime = performance.now() - startedAt;
    const { sessions: foundSessions } = await daemon.waitForLog("sessions recovered");
    const attachedTime = performance.now() - startedAt;
    const cpuTime = readCpuSeconds(daemon.pid);
    await Promise.all(followers.map((follower, at) => follower.waitForEvent(() => true, seenBefore[at])));
    const followedTime = performance.now() - startedAt;
    const sameAgents = agents.filter(
      (pids, at) => pids !== "" && pids === findAgentPids(testHome, sessionIds[at] ?? ""),
    );

    await Promise.all(followers.map((follower) => follower.waitForEvent(({ body }) => body.type === "turn.ended")));
    await mapConcurrently(4, sessionIds, async (session) => await fairlead.stop(session));
    await Promise.all(followers.map(({ finished: over }) => over));
    const isControlCaught = await isCaught(control);
    let [losses, events] = [noLosses, 0];
    for (const [at, { events: seen }] of followers.entries()) {
      const journal = await testHome.readJournal(sessionIds[at] ?? "");
      events += journal.length;
      losses = addLosses(addLosses(losses, countLosses(seen, journal)), countFloodLosses(journal, flood.lines));
    }
    const seconds = (time: number): string => `${(time / 1000).toFixed(2)} s`;
    return {
      measured:
        `${midTurn} of ${sessions} in their turns when it was killed; after the restart, up in ${seconds(upTime)}, ` +
        `${String(foundSessions)} attached in ${seconds(attachedTime)} (${cpuTime.toFixed(2)} s of a processor), all followers hear more in ${seconds(followedTime)}; ${events} events, ` +
        `${losses.lost} lost, ${losses.doubled} doubled, ${losses.altered} otherwise; ${sameAgents.length} agents the same; a client that ` +
        `forgets its number is ${isControlCaught ? "" : "not "}caught; ${describeMachine()}`,
      holds:
        midTurn === sessions &&
        foundSessions === sessions &&
        attachedTime <= bound &&
        sameAgents.length === sessions &&
        isControlCaught &&
        Object.values(losses).every((count) => count === 0),
    };
  },
};

/** The processes that a session's keeper holds. */
function findAgentPids(testHome: TestHome, session: string): string {
  const keeper = testHome.findKeeper(session)?.pid;
  return listSessionProcesses(session)
    .filter(({ parent }) => parent === keeper)
    .map(({ pid }) => pid)
    .join();
}

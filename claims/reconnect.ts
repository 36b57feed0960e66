import { setTimeout as wait } from "node:timers/promises";
import type { Fairlead } from "@fairlead/api";
import type { Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { SeededRandom } from "../measure/seeded-random.ts";
import type { Claim } from "../measure/claim.ts";
import { ConnectionCutter } from "./daemon/connection-cutter.ts";
import { DaemonProcess } from "./daemon/daemon-process.ts";
import { createFaultyClient, isCaught } from "./daemon/faulty-client.ts";
import { SessionFollower } from "./daemon/session-follower.ts";
import { addLosses, countFloodLosses, countLosses, noLosses } from "./daemon/view-losses.ts";
import { describeMachine } from "./daemon/machine.ts";
import { readSize } from "./daemon/size.ts";
import { startSessions } from "./daemon/start-many.ts";
import { TestHome } from "../measure/test-home.ts";

const sessions = readSize("sessions", 20);
const cuts = readSize("cuts", 1000);
const flood = { lines: 100, rate: 20 };

export const reconnect: Claim = {
  id: "reconnect",
  statement: "A client whose connection breaks at any byte reconnects and sees exactly what the journal has.",
  bound: `${cuts} cut streams over ${sessions} streaming sessions: every view equals the journal; control: a client that forgets or guesses its position is detected`,
  async prove() {
    const random = SeededRandom.fromEnvironment();
    await using testHome = new TestHome();
    await using daemon = await DaemonProcess.start(testHome);
    await using cutter = await ConnectionCutter.open(daemon.socket, random);
    const fairlead = daemon.connect();
    const sessionIds = await startSessions(fairlead, testHome, sessions);
    const unstableClient = daemon.connect(cutter.socket);
    const followers = sessionIds.map((session) => new SessionFollower(unstableClient, session));
    const controls = [
      createFaultyClient(cutter.socket, () => 0),
      createFaultyClient(cutter.socket, (after) => after + 1),
    ].map((faultyClient) => new SessionFollower(faultyClient, sessionIds[0] ?? ""));

    const isDone = (): boolean => cutter.cutCounts.streams >= cuts;
    const failed = new AbortController();
    const streaming = Promise.all(sessionIds.map((id, at) => streamFloods(fairlead, id, followers[at], isDone)));
    streaming.catch(() => failed.abort());
    while (!isDone() && !failed.signal.aborted) {
      await wait(5); // the rate of the cuts; no condition depends on it
      cutter.cutOne("streams");
    }
    const floods = await streaming;
    await Promise.all(followers.map(({ finished: over }) => over));
    const caught = await Promise.all(controls.map(isCaught));

    let [losses, events] = [noLosses, 0];
    for (const [at, { events: seen }] of followers.entries()) {
      const journal = await testHome.readJournal(sessionIds[at] ?? "");
      events += journal.length;
      losses = addLosses(
        addLosses(losses, countLosses(seen, journal)),
        countFloodLosses(journal, flood.lines, floods[at]),
      );
    }
    return {
      measured:
        `seed ${random.seed}; ${cutter.cutCounts.streams} streams cut over ${sessions} sessions of ${events} events in all: ${losses.lost} ` +
        `lost, ${losses.doubled} doubled, ${losses.altered} otherwise; ${caught.filter(Boolean).length} of 2 controls caught; ${describeMachine()}`,
      holds: isDone() && events > 0 && Object.values(losses).every((count) => count === 0) && caught.every(Boolean),
    };
  },
};

/** Floods a session until there are enough cuts, then ends it. Returns the number of floods. */
async function streamFloods(
  fairlead: Fairlead,
  session: string,
  follower: SessionFollower | undefined,
  isDone: () => boolean,
): Promise<number> {
  let [floods, seen] = [0, 0];
  const isTurnEnd = ({ body }: Event): boolean => body.type === "turn.ended";
  do {
    await fairlead.send(session, withScript("Continue.", [{ flood }]));
    floods += 1;
    seen = (await follower?.waitForEvent(isTurnEnd, seen)) ?? 0;
  } while (!isDone());
  await fairlead.stop(session);
  return floods;
}

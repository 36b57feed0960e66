import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { SeededRandom } from "../../measure/seeded-random.ts";
import type { Claim } from "../../measure/claim.ts";
import { mapConcurrently } from "../daemon/map-concurrently.ts";
import { ConnectionCutter } from "../daemon/connection-cutter.ts";
import { DaemonProcess } from "../daemon/daemon-process.ts";
import { SessionFollower } from "../daemon/session-follower.ts";
import { describeMachine } from "../daemon/machine.ts";
import { readSize } from "../daemon/size.ts";
import { TestHome } from "../../measure/test-home.ts";
import { countEffects } from "./count-effects.ts";
import { CommandRepeater, type CommandKind } from "./command-repeater.ts";
import { commandsPerSession, runFullSession } from "./run-full-session.ts";

const sessionCount = readSize("sessions", 20);
const commandCount = sessionCount * commandsPerSession;
/** The daemon is killed at these shares of the work. */
const killedAt = [1 / 3, 2 / 3];

export const idempotent: Claim = {
  id: "idempotent",
  statement: "A command with a key runs once, however often it is sent, across cut connections and a killed daemon.",
  bound: `${commandCount} commands, each sent 4 ×, ${killedAt.length} kill -9: ${commandCount} effects in the journal, 0 indeterminate; control: with fresh keys 4 × as many`,
  async prove() {
    const random = SeededRandom.fromEnvironment();
    console.log(`FAIRLEAD_SEED=${random.seed}`);
    await using testHome = new TestHome();
    let daemon = await DaemonProcess.start(testHome);
    await using _ending = { [Symbol.asyncDispose]: () => daemon.kill() };
    await using cutter = await ConnectionCutter.open(daemon.socket, random);
    const connect = () => daemon.connect(cutter.socket);
    const repeater = new CommandRepeater(connect);
    const file = join(testHome.folder, "done");
    const places = Array.from({ length: sessionCount }, (_, at) => ({ file, workspace: testHome.workspace(`w${at}`) }));

    const finished = new AbortController();
    const running = mapConcurrently(8, places, (place) => runFullSession(repeater, connect(), place)).finally(() =>
      finished.abort(),
    );
    running.catch(() => {}); // reported below
    let kills = 0;
    while (!finished.signal.aborted) {
      await wait(random.nextBelow(60)); // the rate of the cuts; no condition depends on it
      cutter.cutOne("any");
      if (repeater.commands.length < commandCount * (killedAt[kills] ?? Infinity)) continue;
      kills += 1;
      await daemon.kill();
      daemon = await DaemonProcess.start(testHome);
    }
    await running;
    await repeater.repeatAll();

    const actual = countEffects(await readAllEvents(testHome));
    const expected = Object.fromEntries(
      Object.keys(actual).map((kind) => [kind, repeater.commands.filter((one) => one.kind === kind).length]),
    ) as Record<CommandKind, number>;
    const effects = Object.values(actual).reduce((sum, count) => sum + count, 0);
    const programRuns = readFileSync(file, "utf8").trimEnd().split("\n").length;
    const { different, indeterminate } = repeater.deviations;
    const control = await runWithFreshKeys(testHome, daemon);
    const isExact = JSON.stringify(actual) === JSON.stringify(expected);
    if (!isExact) console.log(`wanted ${JSON.stringify(expected)}, found ${JSON.stringify(actual)}`);
    return {
      measured:
        `seed ${random.seed}; ${repeater.commands.length} commands (${describeCounts(expected)}) sent 4 × over ${cutter.cutCounts.any} cut connections and ` +
        `${kills} kills: ${effects} effects, ${programRuns} of ${expected.answer} allowed programs ran; ${different} other answers, ` +
        `${indeterminate} indeterminate; control, under fresh keys: ${control.effects} effects of ${control.commands}; ${describeMachine()}`,
      holds:
        repeater.commands.length === commandCount &&
        isExact &&
        programRuns === expected.answer &&
        kills === killedAt.length &&
        different + indeterminate === 0 &&
        control.effects === 4 * control.commands,
    };
  },
};

/** Every event of every session. */
async function readAllEvents(testHome: TestHome): Promise<Event[]> {
  await using runtime = await testHome.open();
  const ends = await Array.fromAsync(runtime.catalog.listTails());
  const journals = ends.map(({ session }) => Array.fromAsync(runtime.events(session, 0)));
  return (await Promise.all(journals)).flat();
}

/** The control: repeats a few messages, each with its own key. The effect counter must count all of them. */
async function runWithFreshKeys(
  testHome: TestHome,
  daemon: DaemonProcess,
): Promise<{ commands: number; effects: number }> {
  const repeater = new CommandRepeater(() => daemon.connect(), "always new");
  const fairlead = daemon.connect();
  const { session } = await fairlead.start({ agent: "scripted", workspace: testHome.workspace() });
  const hello = withScript("Say.", [{ text: "Hello." }]);
  for (let count = 0; count < 5; count += 1) {
    await repeater.issue("send", (client, options) => client.send(session, hello, options));
  }
  await repeater.repeatAll();
  const last = await fairlead.send(session, hello); // it is answered after all earlier ones
  await new SessionFollower(fairlead, session).waitForEvent(
    ({ body }) => body.type === "turn.ended" && body.turn === last.turn,
  );
  return { commands: repeater.commands.length, effects: countEffects(await testHome.readJournal(session)).send - 1 };
}

function describeCounts(counts: Readonly<Record<CommandKind, number>>): string {
  return Object.entries(counts)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(", ");
}

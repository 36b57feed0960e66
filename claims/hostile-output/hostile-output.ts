import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Event } from "@fairlead/contract";
import { spoolFolder } from "@fairlead/keeper";
import { daemonNodeFlags } from "../../packages/daemon/src/daemon-command.ts";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { ChildProgram } from "../../measure/child-program.ts";
import type { Claim } from "../../measure/claim.ts";
import { TestHome } from "../../measure/test-home.ts";
import type { HostileAgentOptions } from "./hostile-agent.ts";
import { createGoodLine, helloLine, hostileLines, expectedRaw } from "./hostile-lines.ts";
import { SpoolRecordLocator } from "./spool-record-locator.ts";
import type { RuntimeUnderTestOptions } from "./runtime-under-test.ts";

const maxMebibytes = 150;

interface HostileRunResult {
  readonly lines: number;
  /** Lines whose event, or its spool position, differs from the expected one. */
  readonly wrong: number;
  /** The peak memory of each process, in MiB; null for a process that has ended. */
  readonly runtime: number | null;
  readonly keeper: number | null;
  /** Properties that reached Object.prototype. */
  readonly polluted: number;
}

export const hostileOutput: Claim = {
  id: "hostile-output",
  statement:
    "Whatever an agent prints, runtime and keeper keep running in bounded memory, and each bad line is one event.",
  bound: `0 wrong of 10^6 lines and one of 600 MB; runtime and keeper < ${maxMebibytes} MiB each; control: a dialect without checks is detected`,
  async prove() {
    execFileSync("npm", ["run", "build"], { stdio: "ignore" });
    const { seed } = SeededRandom.fromEnvironment();
    console.log(`FAIRLEAD_SEED=${seed}`);
    const real = await runHostileAgent({ seed, lines: 1_000_000, endlessLength: 600_000_000 }, false);
    const control = await runHostileAgent({ seed, lines: 20_000, endlessLength: 10_000_000 }, true);
    return {
      measured: `seed ${seed}; ${describeResult(real)}; control: ${describeResult(control)}`,
      holds: isCorrect(real) && !isSmall(control) && control.wrong > 0,
    };
  },
};

async function runHostileAgent(hostile: HostileAgentOptions, isBroken: boolean): Promise<HostileRunResult> {
  await using testHome = new TestHome();
  const { home, environment: env } = testHome;
  const options: RuntimeUnderTestOptions = {
    ...hostile,
    home: home.folder,
    workspace: testHome.workspace(),
    broken: isBroken,
  };
  // Started like a daemon: memory for type stripping is not the runtime's.
  const nodeFlags = [...daemonNodeFlags, "--conditions=built"];
  await using runtimeUnderTest = new ChildProgram(new URL("runtime-under-test.ts", import.meta.url), options, {
    env,
    nodeFlags,
  });
  const session = await runtimeUnderTest.readLine();
  const keeper = testHome.findKeeper(session)?.pid;
  await using runtime = await testHome.open();
  const signal = AbortSignal.timeout(900_000);
  const locator = new SpoolRecordLocator(spoolFolder(home.sessionFolder(session)));
  const { lines, wrong } = await compareJournal(runtime.events(session, 0, signal), hostile, locator);
  const [peak, keeperPeak] = [
    readPeakMemory(runtimeUnderTest.pid),
    testHome.findKeeper(session)?.pid === keeper ? readPeakMemory(keeper) : null,
  ];
  runtimeUnderTest.writeLine("end");
  return { lines, wrong, runtime: peak, keeper: keeperPeak, polluted: Number(await runtimeUnderTest.readLine()) };
}

/** Follows the journal until the turn is over and checks each line. */
async function compareJournal(
  events: AsyncIterable<Event>,
  { seed, lines, endlessLength }: HostileAgentOptions,
  locator: SpoolRecordLocator,
): Promise<{ lines: number; wrong: number }> {
  const expected = listExpected(seed, lines, endlessLength);
  let [lineCount, wrong, byte] = [0, 0, helloLine.length];
  for await (const { body, spool } of events) {
    if (body.type === "turn.ended") break;
    if (body.type !== "unrecognized" && body.type !== "text.ended") continue;
    const next = expected.next().value;
    lineCount += 1;
    byte += next === undefined ? 0 : next.length + 1;
    const actual = body.type === "text.ended" ? `good: ${body.text}` : `bad: ${body.raw}`;
    if (next?.becomes === actual && locator.findRecord(byte) === spool) continue;
    wrong += 1;
    if (wrong <= 3)
      console.log(JSON.stringify({ line: lineCount, wanted: next?.becomes.slice(0, 80), found: actual.slice(0, 80) }));
  }
  return { lines: lineCount, wrong: wrong + [...expected].length };
}

function* listExpected(
  seed: number,
  lines: number,
  endlessLength: number,
): Generator<{ length: number; becomes: string }> {
  for (const { bytes, goodText } of hostileLines(seed, lines)) {
    yield { length: bytes.length, becomes: goodText === null ? `bad: ${expectedRaw(bytes)}` : `good: ${goodText}` };
  }
  yield { length: endlessLength, becomes: "bad: " };
  const { bytes, goodText } = createGoodLine("after the endless line");
  yield { length: bytes.length, becomes: `good: ${goodText}` };
}

function readPeakMemory(pid: number | undefined): number | null {
  try {
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return peak === undefined ? null : Number(peak) / 1024;
  } catch {
    return null;
  }
}

function isSmall({ runtime, keeper }: HostileRunResult): boolean {
  return runtime !== null && keeper !== null && Math.max(runtime, keeper) < maxMebibytes;
}

function isCorrect(outcome: HostileRunResult): boolean {
  return isSmall(outcome) && outcome.wrong === 0 && outcome.polluted === 0;
}

function describeResult({ lines, wrong, runtime, keeper, polluted }: HostileRunResult): string {
  const size = (value: number | null): string => (value === null ? "gone" : `${value.toFixed(0)} MiB`);
  const count = lines.toLocaleString("en");
  return `${wrong} wrong of ${count} lines, runtime ${size(runtime)}, keeper ${size(keeper)}, ${polluted} polluted`;
}

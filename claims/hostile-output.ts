import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Event } from "@fairlead/contract";
import { spoolFolder } from "@fairlead/keeper";
import { daemonFlags } from "../packages/cli/src/daemon/daemon-flags.ts";
import { Chance } from "./chance.ts";
import { Child } from "./child.ts";
import type { Claim } from "./claim.ts";
import { Ground } from "./ground.ts";
import type { HostileOptions } from "./hostile-output/hostile-agent.ts";
import { goodLine, hello, hostileLines, rawOf } from "./hostile-output/hostile-lines.ts";
import { SpoolPlaces } from "./hostile-output/spool-places.ts";
import type { VictimOptions } from "./hostile-output/victim.ts";

const mebibytes = 150;

interface Outcome {
  readonly lines: number;
  /** Lines of which the journal has something else than it must, or another place in the spool. */
  readonly wrong: number;
  /** The most memory that each process ever had, in MiB; null for one that is gone. */
  readonly runtime: number | null;
  readonly keeper: number | null;
  /** What got into the prototype of all objects. */
  readonly polluted: number;
}

export const hostileOutput: Claim = {
  id: "hostile-output",
  says: "Whatever an agent prints, runtime and keeper stay up and small, each bad line is one event, the next good one is read.",
  bound: `0 wrong of 10^6 lines and one of 600 MB; runtime and keeper < ${mebibytes} MiB each; a careless dialect is caught`,
  async prove() {
    execFileSync("npm", ["run", "build"], { stdio: "ignore" });
    const { seed } = Chance.fromEnvironment();
    console.log(`FAIRLEAD_SEED=${seed}`);
    const real = await suffer({ seed, lines: 1_000_000, endless: 600_000_000 }, false);
    const control = await suffer({ seed, lines: 20_000, endless: 10_000_000 }, true);
    return {
      measured: `seed ${seed}; ${told(real)}; control: ${told(control)}`,
      holds: isWell(real) && !isSmall(control) && control.wrong > 0,
    };
  },
};

async function suffer(hostile: HostileOptions, broken: boolean): Promise<Outcome> {
  await using ground = new Ground();
  const { home, environment: env } = ground;
  const options: VictimOptions = { ...hostile, home: home.folder, workspace: ground.workspace(), broken };
  // As a daemon is started: what type stripping takes at run time is not the runtime's.
  const flags = [...daemonFlags, "--conditions=built"];
  await using victim = new Child(new URL("hostile-output/victim.ts", import.meta.url), options, { env, flags });
  const session = await victim.line();
  const keeper = ground.keeper(session)?.pid;
  await using runtime = await ground.open();
  const signal = AbortSignal.timeout(900_000);
  const places = new SpoolPlaces(spoolFolder(home.session(session)));
  const { lines, wrong } = await compare(runtime.events(session, 0, signal), hostile, places);
  const [peak, keeperPeak] = [peakOf(victim.pid), ground.keeper(session)?.pid === keeper ? peakOf(keeper) : null];
  victim.say("end");
  return { lines, wrong, runtime: peak, keeper: keeperPeak, polluted: Number(await victim.line()) };
}

/** Follows the journal line by line, until the turn is over. */
async function compare(
  events: AsyncIterable<Event>,
  { seed, lines, endless }: HostileOptions,
  places: SpoolPlaces,
): Promise<{ lines: number; wrong: number }> {
  const expected = expectations(seed, lines, endless);
  let [seen, wrong, byte] = [0, 0, hello.length];
  for await (const { body, spool } of events) {
    if (body.type === "turn.ended") break;
    if (body.type !== "unrecognized" && body.type !== "text.ended") continue;
    const next = expected.next().value;
    seen += 1;
    byte += next === undefined ? 0 : next.length + 1;
    const found = body.type === "text.ended" ? `good: ${body.text}` : `bad: ${body.raw}`;
    if (next?.becomes === found && places.recordOf(byte) === spool) continue;
    wrong += 1;
    if (wrong <= 3)
      console.log(JSON.stringify({ line: seen, wanted: next?.becomes.slice(0, 80), found: found.slice(0, 80) }));
  }
  return { lines: seen, wrong: wrong + [...expected].length };
}

function* expectations(seed: number, lines: number, endless: number): Generator<{ length: number; becomes: string }> {
  for (const { bytes, good } of hostileLines(seed, lines)) {
    yield { length: bytes.length, becomes: good === null ? `bad: ${rawOf(bytes)}` : `good: ${good}` };
  }
  yield { length: endless, becomes: "bad: " };
  const { bytes, good } = goodLine("after the endless line");
  yield { length: bytes.length, becomes: `good: ${good}` };
}

function peakOf(pid: number | undefined): number | null {
  try {
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return peak === undefined ? null : Number(peak) / 1024;
  } catch {
    return null;
  }
}

function isSmall({ runtime, keeper }: Outcome): boolean {
  return runtime !== null && keeper !== null && Math.max(runtime, keeper) < mebibytes;
}

function isWell(outcome: Outcome): boolean {
  return isSmall(outcome) && outcome.wrong === 0 && outcome.polluted === 0;
}

function told({ lines, wrong, runtime, keeper, polluted }: Outcome): string {
  const size = (value: number | null): string => (value === null ? "gone" : `${value.toFixed(0)} MiB`);
  const count = lines.toLocaleString("en");
  return `${wrong} wrong of ${count} lines, runtime ${size(runtime)}, keeper ${size(keeper)}, ${polluted} polluted`;
}

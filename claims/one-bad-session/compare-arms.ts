import { setTimeout as delay } from "node:timers/promises";
import { quantile } from "../../measure/quantile.ts";
import { useUntil, type BadKind } from "./bad-kinds.ts";
import type { SessionAges } from "./latency-reader.ts";
import type { TestBed } from "./test-bed.ts";

export interface ComparisonOptions {
  /** The fewest rounds. There are more, up to the most, while the bad session exceeds the ratio. */
  readonly rounds: number;
  readonly maxRounds: number;
  readonly maxRatio: number;
  /** Length of one measurement in milliseconds. */
  readonly window: number;
}

export interface Comparison {
  readonly id: string;
  /**
   * The largest p99 of a healthy session beside the bad session and beside the well-behaved one, in milliseconds, in the
   * median of the rounds: a machine that is shared can stop for a second at any time, and then does in one round.
   */
  readonly bad: number;
  readonly good: number;
  readonly rounds: number;
  /** Events of healthy sessions that were measured. */
  readonly events: number;
  /** Healthy sessions whose output did not arrive. */
  readonly stalled: number;
  /** What the bad session could not be: stopped, forgotten, or listed by the next daemon. */
  readonly failures: readonly string[];
}

/** How long a stop may take: the daemon gives the session 30 seconds before it kills the agent. */
const stopTimeout = 60_000;
const maxScriptTime = 240_000;

/** Measures the healthy sessions beside a bad and beside a well-behaved session, in turns, because the load varies. */
export async function compareArms(bed: TestBed, kind: BadKind, options: ComparisonOptions): Promise<Comparison> {
  const worst = { bad: [] as number[], good: [] as number[] };
  const failures: string[] = [];
  let events = 0;
  let stalled = 0;
  let { window } = options;
  const median = (arm: "bad" | "good"): number => quantile(worst[arm], 0.5);
  const isDone = (round: number): boolean =>
    round >= (kind.untilDone ? 1 : options.rounds) &&
    (round >= options.maxRounds || median("bad") <= options.maxRatio * median("good"));
  let round = 0;
  for (; !isDone(round); round += 1) {
    const arms = round % 2 === 0 || kind.untilDone ? (["bad", "good"] as const) : (["good", "bad"] as const);
    for (const arm of arms) {
      const startedAt = performance.now();
      const measured = await measureArm(bed, kind, arm === "bad", window);
      worst[arm].push(Math.max(...measured.ages.map(({ ages }) => quantile(ages, 0.99))));
      for (const { ages, isComplete } of measured.ages) {
        events += ages.length;
        if (!isComplete) stalled += 1;
      }
      if (kind.untilDone && arm === "bad") window = performance.now() - startedAt;
      failures.push(...(await endSession(bed, measured.session, arm === "bad" && round === 0)));
    }
  }
  return { id: kind.id, bad: median("bad"), good: median("good"), rounds: round, events, stalled, failures };
}

/** Damages a session and ends it, also after the daemon was killed and started again. Returns what failed. */
export async function damageAndEnd(bed: TestBed, kind: BadKind): Promise<string[]> {
  const session = await startSession(bed, kind, true);
  await kind.damage?.(bed, session);
  return await endSession(bed, session, true);
}

async function measureArm(
  bed: TestBed,
  kind: BadKind,
  isBad: boolean,
  window: number,
): Promise<{ readonly session: string; readonly ages: readonly SessionAges[] }> {
  const session = await startSession(bed, kind, isBad);
  if (isBad) await kind.damage?.(bed, session);
  if (kind.restarts) {
    await bed.restartDaemon();
    await bed.measure(async () => {}, 1000); // until the next daemon drives all healthy sessions
  }
  const { use } = kind;
  const isDone = async (): Promise<boolean> => ["idle", "ended"].includes((await bed.connect().session(session)).state);
  const during = async (signal: AbortSignal): Promise<void> => {
    if (use !== undefined) await useUntil(() => use(bed, session), signal);
  };
  if (!kind.untilDone || !isBad) return { session, ages: await bed.measure(during, window) };
  const done = new AbortController();
  const finished = waitFor(isDone, maxScriptTime).finally(() => done.abort());
  const ages = await bed.measure(during, maxScriptTime, done.signal);
  await finished;
  return { session, ages };
}

/** Starts a session and waits until its agent works. */
async function startSession(bed: TestBed, kind: BadKind, isBad: boolean): Promise<string> {
  const prompt = kind.script(isBad);
  const request = { agent: kind.agent(isBad), workspace: bed.workspace, prompt };
  const { session } = await bed.connect().start(request);
  await waitFor(async () => (await bed.connect().session(session)).last >= kind.workingAfter, 30_000);
  return session;
}

/** Ends a session as a person would, also after the daemon was killed and started again. Returns what failed. */
async function endSession(bed: TestBed, session: string, restart: boolean): Promise<string[]> {
  const failures: string[] = [];
  if (restart) {
    const listed = await bed.restartDaemon();
    for (const id of [session, ...bed.healthy]) if (!listed.includes(id)) failures.push(`${id} is not listed`);
  }
  const attempt = async (name: "stop" | "forget"): Promise<void> => {
    try {
      const timeout = delay(stopTimeout, undefined, { ref: false }).then(() => Promise.reject(new Error("timed out")));
      await Promise.race([bed.connect()[name](session), timeout]);
    } catch (error) {
      failures.push(`${name}: ${(error as Error).message}`);
    }
  };
  await attempt("stop");
  await attempt("forget");
  return failures;
}

async function waitFor(condition: () => Promise<boolean>, timeout: number): Promise<void> {
  const deadline = performance.now() + timeout;
  while (!(await condition().catch(() => false)) && performance.now() < deadline) await delay(50);
}

import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { Claim } from "../../measure/claim.ts";
import { describeMachine } from "../daemon/machine.ts";
import { readSize } from "../daemon/size.ts";
import { badKinds, spinningKind, type BadKind } from "./bad-kinds.ts";
import { compareArms, damageAndEnd, type Comparison } from "./compare-arms.ts";
import { fillDisk, type FullDiskResult } from "./fill-disk.ts";
import { TestBed, type TestBedOptions } from "./test-bed.ts";

const healthy = readSize("sessions", 20);
const maxRatio = 2;
const rounds = readSize("rounds", 3);
const options = { rounds, maxRounds: Math.max(rounds, 5), maxRatio, window: readSize("seconds", 8) * 1000 };
/** Longer than the wait for a keeper, which is 10 seconds. */
const answerTimeout = 25_000;

export const oneBadSession: Claim = {
  id: "one-bad-session",
  statement:
    "A session that misbehaves does not slow the others, can be stopped and forgotten, and does not keep the daemon from starting.",
  bound: `${healthy} healthy sessions beside one bad: the largest p99 of a healthy one, in the median of up to ${options.maxRounds} rounds, ≤ ${maxRatio} × that beside an equally busy well-behaved session; the bad one is stopped and forgotten, the next daemon lists all; full disk: all wait, 0 lost, all continue; control: a dialect that keeps the daemon busy exceeds the bound, and without fence, plain files, bounded waits, the state damaged or forced ends its session fails`,
  async prove() {
    const comparisons: Comparison[] = [];
    {
      await using bed = await TestBed.open({ healthy });
      await bed.measure(async () => {}, 5000); // the daemon has just started all of them, and its spare keepers
      for (const kind of badKinds) {
        const comparison = await compareArms(bed, kind, options);
        console.log(describeComparison(comparison));
        comparisons.push(comparison);
      }
      comparisons.push(await compareArms(bed, spinningKind, options));
    }
    const spinning = comparisons.pop();
    const fullDisk = await fillDisk(healthy);
    console.log(describeFullDisk(fullDisk));
    const controls = await runControls();
    return {
      measured:
        `${comparisons.map(describeComparison).join("; ")}; ${describeFullDisk(fullDisk)}; ` +
        `control: ${spinning && describeComparison(spinning)}; ${controls.map(({ text }) => text).join("; ")}; ${describeMachine()}`,
      holds:
        comparisons.every(isUnaffected) &&
        fullDisk.shown + fullDisk.stopped + fullDisk.lost === 0 &&
        spinning !== undefined &&
        !isUnaffected(spinning) &&
        controls.every(({ isDetected }) => isDetected),
    };
  },
};

function isUnaffected({ bad, good, stalled, failures, events }: Comparison): boolean {
  return events > 0 && bad <= maxRatio * good && stalled === 0 && failures.length === 0;
}

interface ControlResult {
  readonly text: string;
  readonly isDetected: boolean;
}

/**
 * Turns defenses off that an option or a patch can turn off. The others are the structure of the code: bounded lines,
 * texts in parts, linear patterns. `attack-closed` shows those on an earlier commit.
 */
async function runControls(): Promise<ControlResult[]> {
  const noWaitLimit = { environment: { FAIRLEAD_KEEPER_TIMEOUT_MS: "600000" } };
  return [
    await compareCommand("throwing dialect, fence", "throwing dialect", { off: "fence" }, "succeeds"),
    await compareCommand("FIFO transcript, plain files", "FIFO transcript", { off: "plain-files" }, "succeeds"),
    await compareCommand("frozen keeper, limit of waits", "frozen keeper", noWaitLimit, "fails with indeterminate"),
    await compareEnd("damaged journal rows, state `damaged`", "damaged journal rows", "damaged-state"),
    await compareEnd("torn snapshot, forced end", "torn snapshot", "forced-end"),
  ];
}

/** Uses a bad session once with its defense and once without. */
async function compareCommand(
  name: string,
  id: string,
  off: Omit<TestBedOptions, "healthy">,
  expected: string,
): Promise<ControlResult> {
  const [withIt, without] = [await useOnce(findKind(id), {}), await useOnce(findKind(id), off)];
  const isDetected = withIt === expected && without !== expected;
  return { text: `${name} on: a command ${withIt}, off: it ${without}`, isDetected };
}

/** Damages and ends a bad session once with a defense and once without. */
async function compareEnd(name: string, id: string, off: TestBedOptions["off"]): Promise<ControlResult> {
  const [withIt, without] = [await endOnce(findKind(id), {}), await endOnce(findKind(id), { off })];
  const describe = (failures: readonly string[]): string =>
    failures.length === 0 ? "nothing fails" : failures.join(", ");
  return {
    text: `${name} on: ${describe(withIt)}, off: ${describe(without)}`,
    isDetected: withIt.length === 0 && without.length > 0,
  };
}

async function endOnce(kind: BadKind, bedOptions: Omit<TestBedOptions, "healthy">): Promise<string[]> {
  await using bed = await TestBed.open({ healthy: 1, ...bedOptions });
  try {
    return await damageAndEnd(bed, kind);
  } catch (error) {
    return [String(error)]; // the daemon did not start, or does not answer
  }
}

function findKind(id: string): BadKind {
  const kind = badKinds.find((one) => one.id === id);
  if (kind === undefined) throw new Error(`There is no kind ${id}.`);
  return kind;
}

async function useOnce(kind: BadKind, bedOptions: Omit<TestBedOptions, "healthy">): Promise<string> {
  await using bed = await TestBed.open({ healthy: 1, ...bedOptions });
  const { agent, script, damage, use = async () => {} } = kind;
  const request = { agent: agent(true), workspace: bed.workspace, prompt: script(true) };
  const { session } = await bed.connect().start(request);
  await delay(3000); // the agent works, and a pipe lies where the transcript is
  await damage?.(bed, session);
  const outcome = use(bed, session).then(
    () => "succeeds",
    (error: unknown) => `fails with ${FairleadError.isInstance(error) ? error.code : String(error)}`,
  );
  const silence = delay(answerTimeout, `is not answered in ${answerTimeout / 1000} s`, { ref: false });
  return await Promise.race([outcome, silence]);
}

function describeComparison({ id, bad, good, rounds: measured, events, stalled, failures }: Comparison): string {
  const ratio = (bad / good).toFixed(2);
  const faults = [...(stalled > 0 ? [`${stalled} stalled`] : []), ...failures].join(", ");
  return `${id}: p99 ${bad.toFixed(0)} ms, ${good.toFixed(0)} ms beside a well-behaved one (${ratio} ×, ${measured} rounds, ${events.toLocaleString("en")} events)${faults && `, ${faults}`}`;
}

function describeFullDisk({ sessions, shown, stopped, lines, lost }: FullDiskResult): string {
  return `full disk: ${sessions} sessions, ${shown} showed output meanwhile, ${stopped} did not continue, ${lost} lost of ${lines.toLocaleString("en")} lines`;
}

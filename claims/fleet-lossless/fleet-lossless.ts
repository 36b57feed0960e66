import type { Claim } from "../../measure/claim.ts";
import { runQuietly } from "../../scripts/run.ts";
import type { FaultRun } from "./append-through-faults.ts";
import { faultCounts, type Fault } from "./inject-fault.ts";
import { hasFaults, type LogFaults } from "./log-checker.ts";
import type { ResendRun } from "./resend-after-timeout.ts";

const fewestEvents = 1_000_000;
const kinds = Object.keys(faultCounts) as Fault[];

export const fleetLossless: Claim = {
  id: "fleet-lossless",
  statement: "The log of a fleet loses, doubles and reorders nothing while its servers die, stop and lose each other.",
  bound: `50 sessions append to three servers with sync_interval: always; ${kinds.map((fault) => `${fault} × ${faultCounts[fault]}`).join(", ")}; at least 10⁶ acknowledged events: 0 lost, doubled, reordered, unknown; numbering without gaps, epochs never lower, no lone writer fenced; control: writers that take a missing answer for a failure double events`,
  async prove() {
    const installed = await runQuietly("node", ["scripts/install-nats.ts"]);
    if (installed.code !== 0) throw new Error(installed.output);
    const run = await runProgram<FaultRun>("append-through-faults.ts");
    const control = await runProgram<ResendRun>("resend-after-timeout.ts");
    const isComplete = kinds.every(
      (fault) => run.injected.filter((other) => other === fault).length === faultCounts[fault],
    );
    return {
      measured:
        `seed ${run.seed}: ${run.injected.length} faults in ${run.seconds} s, ${run.acknowledged} acknowledged events: ` +
        `${describeFaults(run.faults)}, ${run.fenced} fenced; ${run.undecided} appends without an answer, ` +
        `${run.foundStored} of them found stored; a session waited at most: ` +
        kinds.map((fault) => `${fault} ${run.longestGaps[fault]} s`).join(", ") +
        describeFailure(run) +
        `; control, leader killed × ${control.kills}: ${control.faults.doubled} of ${control.acknowledged} events doubled`,
      holds:
        isComplete &&
        run.failure === null &&
        run.acknowledged >= fewestEvents &&
        run.fenced === 0 &&
        !hasFaults(run.faults) &&
        control.faults.doubled > 0,
    };
  },
};

function describeFailure({ failure, recording }: FaultRun): string {
  return [failure && `; ended early: ${failure}`, recording && `; recording in ${recording}`].join("");
}

function describeFaults({ lost, doubled, reordered, unknown, numberingBreaks, epochDecreases }: LogFaults): string {
  return `${lost} lost, ${doubled} doubled, ${reordered} reordered, ${unknown} unknown, ${numberingBreaks} gaps in the numbering, ${epochDecreases} lower epochs`;
}

async function runProgram<Result>(name: string): Promise<Result> {
  const { code, output } = await runQuietly("scripts/offline", ["node", `claims/fleet-lossless/${name}`]);
  const line = output.split("\n").findLast((text) => text.startsWith("{"));
  if (code !== 0 || line === undefined) throw new Error(output);
  return JSON.parse(line) as Result;
}

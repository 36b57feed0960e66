import { loadavg } from "node:os";
import type { Claim } from "../../measure/claim.ts";
import { runQuietly } from "../../scripts/run.ts";
import { timeComparisons, type ComparisonTimes } from "./compare-large-workspace.ts";
import { countEdits, type EditCounts } from "./run-edits.ts";
import type { SeenChange } from "./run-real-agent.ts";

const agents = ["claude-code", "codex"];
const edits = 500;
const sharedEdits = 60;
const largeFiles = 250_000;
const maxDelayMs = 1000;
const maxComparisonMs = 3000;

export const filesSeen: Claim = {
  id: "files-seen",
  statement:
    "Every change of a file is recorded soon after the call that made it, and never attributed to another session.",
  bound: `real ${agents.join(" and ")}, created, modified and deleted, by tool and by command: file.changed ≤ ${maxDelayMs} ms after the call's end; ${edits} edits of 3 sessions in isolated copies: all attributed to their sessions; ${sharedEdits} edits of 3 sessions in one folder: right or unknown, 0 wrong; ${largeFiles} files: median comparison ≤ ${maxComparisonMs} ms with 0 and with 2 changes; controls: without comparisons changes by commands are not recorded, attribution to every session that runs is wrong, an index that is rebuilt takes longer than ${maxComparisonMs} ms`,
  async prove() {
    const load = loadavg().map((one) => one.toFixed(1));
    const seen = await runRealAgents();
    const copies = await countEdits("copies", edits);
    const shared = await countEdits("one-folder", sharedEdits);
    const control = await countEdits("all-that-run", sharedEdits);
    const times = await timeComparisons(largeFiles);
    return {
      measured: [
        ...agents.map((agent) => describeAgent(seen.filter((one) => one.agent === agent))),
        `3 copies: ${describeCounts(copies)}`,
        `one folder: ${describeCounts(shared)}`,
        `control, attributed to every session that runs: ${describeCounts(control)}`,
        describeTimes(times),
        `load before ${load.join(" ")}, after ${loadavg()
          .map((one) => one.toFixed(1))
          .join(" ")}`,
      ].join("; "),
      holds:
        agents.every((agent) => areSeen(seen.filter((one) => one.agent === agent))) &&
        copies.right === edits &&
        shared.wrong + shared.missed === 0 &&
        shared.right + shared.unknown === sharedEdits &&
        control.wrong > 0 &&
        median(times.unchangedMs) <= maxComparisonMs &&
        median(times.changedMs) <= maxComparisonMs &&
        times.rebuiltMs > maxComparisonMs,
    };
  },
};

async function runRealAgents(): Promise<SeenChange[]> {
  const installed = await runQuietly("npm", ["run", "agents"]);
  if (installed.code !== 0) throw new Error(installed.output);
  const { code, output } = await runQuietly("scripts/offline", [
    "node",
    "claims/files-seen/run-real-agent.ts",
    ...agents,
  ]);
  if (code !== 0) throw new Error(output);
  return output.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as SeenChange] : []));
}

const isByCommand = ({ path }: SeenChange): boolean => path.includes("command");

/** An agent without a tool that deletes has five changes. Without comparisons, none of its commands' changes is recorded. */
function areSeen(seen: readonly SeenChange[]): boolean {
  const observed = seen.filter(({ isObserved }) => isObserved);
  const unobserved = seen.filter((one) => !one.isObserved && isByCommand(one));
  return (
    observed.length >= 5 &&
    observed.filter(isByCommand).length === 3 &&
    observed.every(
      ({ change, recorded, delayMs }) => change === recorded && delayMs !== null && delayMs <= maxDelayMs,
    ) &&
    unobserved.length === 3 &&
    unobserved.every(({ recorded }) => recorded === null)
  );
}

function describeAgent(seen: readonly SeenChange[]): string {
  const describe = ({ path, recorded, delayMs }: SeenChange): string =>
    `${path.replace(".txt", "")} ${recorded === null ? "not recorded" : `${recorded} ${delayMs} ms`}`;
  const observed = seen.filter(({ isObserved }) => isObserved).map(describe);
  const missed = seen.filter(({ isObserved, recorded }) => !isObserved && recorded === null).length;
  const [first] = seen;
  return `${first?.agent} ${first?.version}: ${observed.join(", ")} (control without comparisons: ${missed} of ${observed.length} not recorded)`;
}

const describeCounts = ({ edits: all, right, unknown, wrong, missed }: EditCounts): string =>
  `${right} of ${all} right, ${unknown} unknown, ${wrong} wrong, ${missed} missed`;

function describeTimes({ files, firstIndexMs, unchangedMs, changedMs, rebuiltMs }: ComparisonTimes): string {
  return `${files} files: first index ${firstIndexMs} ms, comparison ${median(unchangedMs)} ms (largest ${Math.max(...unchangedMs)}), with 2 changes ${median(changedMs)} ms (largest ${Math.max(...changedMs)}), control with a rebuilt index ${rebuiltMs} ms`;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

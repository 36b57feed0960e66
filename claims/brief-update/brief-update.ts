import { installAgent } from "@fairlead/lab";
import type { Claim } from "../../measure/claim.ts";
import { runQuietly } from "../../scripts/run.ts";
import type { BriefRun } from "./run-briefs.ts";

const agents = ["claude-code", "codex"];
/** Agents that can take a message during a turn. */
const steerable: readonly string[] = ["codex"];
const interfaces = ["command line", "API", "shim"];

export const briefUpdate: Claim = {
  id: "brief-update",
  statement:
    "An agent is told its brief, and a changed brief once: in the open turn if it can, or with the next message.",
  bound:
    "claude-code and codex, through the command line, the API and the shim: the first request to the model has the brief; the brief changes during the turn; on codex a request of the same turn has it; the next turn has it exactly once; the view has it; control without the change: 0 requests have it",
  async prove() {
    for (const agent of agents) await installAgent(agent);
    const { code, output } = await runQuietly("scripts/offline", [
      "node",
      "claims/brief-update/run-briefs.ts",
      ...agents,
    ]);
    if (code !== 0) throw new Error(output);
    const runs = output.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as BriefRun] : []));
    const updated = runs.filter(({ isUpdated }) => isUpdated);
    const controls = runs.filter(({ isUpdated }) => !isUpdated);
    const count = agents.length * interfaces.length;
    const hasAll = (some: readonly BriefRun[]): boolean =>
      some.length === count && new Set(some.map(({ agent, by }) => `${agent} ${by}`)).size === count;
    return {
      measured: [
        ...updated.map(describeRun),
        `control: ${controls.map(({ agent, by, inTurn, inNextTurn }) => `${agent}, ${by}: ${inTurn + inNextTurn}`).join("; ")}`,
      ].join("; "),
      holds: hasAll(updated) && hasAll(controls) && updated.every(isTold) && controls.every(isUntold),
    };
  },
};

function isTold({ agent, first, inTurn, inNextTurn, inView }: BriefRun): boolean {
  return first === 1 && inTurn === (steerable.includes(agent) ? 1 : 0) && inNextTurn === 1 && inView;
}

function isUntold({ first, inTurn, inNextTurn, inView }: BriefRun): boolean {
  return first === 1 && inTurn === 0 && inNextTurn === 0 && !inView;
}

function describeRun({ agent, version, by, first, inTurn, inNextTurn }: BriefRun): string {
  return `${agent} ${version ?? ""}, ${by}: brief ${first} time in the first request, changed brief ${inTurn} times in the turn and ${inNextTurn} times in the next`;
}

import { adapters } from "@fairlead/adapters";
import { testBenches } from "@fairlead/lab";
import type { Claim } from "../../measure/claim.ts";
import { runQuietly } from "../../scripts/run.ts";
import { tokenLimit, type LimitedRun } from "./run-limited.ts";

/** Agents that report each call of the model when it ends. */
const agentsThatReportCalls: readonly string[] = ["claude-code", "codex"];

export const limitHeld: Claim = {
  id: "limit-held",
  statement: "A session stops at its limit of tokens, and keeps the messages that wait.",
  bound: `limit of ${tokenLimit} tokens, reached by the 4th of 16 calls in 2 turns; after it at most 1 call on claude-code and codex, and no other turn on every other agent that reports usage; 1 message kept; control without the limit: all calls of both turns`,
  async prove() {
    const ids = adapters
      .filter(({ manifest }) => manifest.capabilities.includes("usage") && testBenches[manifest.id] !== undefined)
      .map(({ manifest }) => manifest.id);
    const installed = await runQuietly("npm", ["run", "agents"]);
    if (installed.code !== 0) throw new Error(installed.output);
    const { code, output } = await runQuietly("scripts/offline", ["node", "claims/limit-held/run-limited.ts", ...ids]);
    if (code !== 0) throw new Error(output);
    const runs = output.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as LimitedRun] : []));
    const limited = runs.filter(({ isLimited }) => isLimited);
    const controls = runs.filter(({ isLimited }) => !isLimited);
    return {
      measured: [
        ...limited.map(describeRun),
        `control: ${controls.map(({ agent, tokens, callsAfterLimit }) => `${agent} ${tokens} tokens, ${callsAfterLimit} calls after the limit`).join("; ")}`,
      ].join("; "),
      holds:
        ids.length >= 8 &&
        limited.length === ids.length &&
        controls.length === ids.length &&
        limited.every(isHeld) &&
        controls.every(isOvershot),
    };
  },
};

function isHeld({ agent, callsAfterLimit, turnsAfterLimit, pauseReason, queued }: LimitedRun): boolean {
  const areCallsHeld = !agentsThatReportCalls.includes(agent) || (callsAfterLimit >= 0 && callsAfterLimit <= 1);
  return areCallsHeld && turnsAfterLimit === 0 && pauseReason === "budget" && queued === 1;
}

/** Whether a run without a limit would break the bound. */
function isOvershot({ callsAfterLimit, turnsAfterLimit, pauseReason }: LimitedRun): boolean {
  return callsAfterLimit > 1 && turnsAfterLimit === 1 && pauseReason === "none";
}

function describeRun({ agent, version, tokens, callsAfterLimit, turnsAfterLimit, outcome }: LimitedRun): string {
  const name = `${agent} ${version ?? ""}`.trimEnd();
  return `${name}: ${tokens} tokens, ${callsAfterLimit} calls and ${turnsAfterLimit} turns after the limit, turn ${outcome}`;
}

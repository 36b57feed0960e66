import { isDeepStrictEqual } from "node:util";
import type { Drift } from "@fairlead/conformance";
import { findLabAgent } from "@fairlead/lab";
import { runQuietly } from "../../scripts/run.ts";
import type { Claim } from "../../measure/claim.ts";
import { installModifiedProgram } from "./install-modified-program.ts";
import { judgeAgent } from "../judge-agent.ts";

const agent = "claude-code";
const changedVersion = "doctored-words";
const reducedVersion = "doctored-flags";

const expected: Drift = {
  flags: ["The flag --fork-session has vanished."],
  wire: [
    'The message "novelty" has appeared.',
    'The member is_error of "result success" has vanished.',
    'The member failed of "result success" has appeared.',
  ],
  events: ['In "plain turn", event 3 was text.ended and is unrecognized.'],
  // A turn without a reported success is not reported as successful.
  clauses: ["turn:outcome was kept and is broken."],
};

export const driftSeen: Claim = {
  id: "drift-seen",
  statement: "Changes of a program are reported exactly. Sessions on it degrade or fail with an error; none hangs.",
  bound: "a renamed field, a removed flag and a new message are reported, and nothing else; every session ends",
  async prove() {
    await runQuietly("node", ["scripts/install-agents.ts", agent]);
    installModifiedProgram(agent, changedVersion, {
      droppedFlag: "--fork-session",
      renamedMember: { message: "result", from: "is_error", to: "failed" },
      newMessage: { before: "system", message: { type: "novelty", at: { last: true } } },
    });
    installModifiedProgram(agent, reducedVersion, { droppedFlag: "--include-partial-messages" });
    const { version } = findLabAgent(agent);
    const unchanged = await measureDrift(version, version);
    const reported = await measureDrift(version, changedVersion);
    const reducedRun = await judgeAgent(agent, { version: reducedVersion, only: "plain turn" });
    const isExact = isDeepStrictEqual(reported, expected);
    if (!isExact) console.log(JSON.stringify(reported, null, 2));
    const isUnchangedSilent = Object.values(unchanged).every((sentences: readonly string[]) => sentences.length === 0);
    return {
      measured:
        `${agent} ${version}: reported ${isExact ? "exactly" : "otherwise"} (${Object.values(reported).flat().length} ` +
        `sentences), against itself ${isUnchangedSilent ? "nothing" : "something"}; without a flag that Fairlead uses, ` +
        `${reducedRun.scenarios - reducedRun.brokenScenarios.length} of ${reducedRun.scenarios} sessions continued without it`,
      holds: isExact && isUnchangedSilent && reducedRun.scenarios > 0 && reducedRun.brokenScenarios.length === 0,
    };
  },
};

async function measureDrift(before: string, after: string): Promise<Drift> {
  const options = JSON.stringify({ agent, versions: [before, after], only: "plain turn" });
  const { code, output } = await runQuietly("scripts/offline", ["node", "packages/cli/src/drift-offline.ts", options]);
  if (code !== 0) throw new Error(output);
  return JSON.parse(output.split("\n").findLast((line) => line.startsWith("{")) ?? "{}") as Drift;
}

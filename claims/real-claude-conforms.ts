import { runQuietly } from "../scripts/run.ts";
import type { Claim } from "./claim.ts";

export const realClaudeConforms: Claim = {
  id: "real-claude-conforms",
  says: "Every MUST clause holds for claude-code on the real program, offline, in every situation.",
  bound: "all MUST clauses, in all scenarios",
  async prove() {
    const installed = await runQuietly("node", ["scripts/install-agents.ts", "claude-code"]);
    const { code, output } = await runQuietly("scripts/offline", [
      "node",
      "scripts/conformance.ts",
      "--agent",
      "claude-code",
    ]);
    console.log(output);
    const clauses = /(\d+) of (\d+) MUST clauses kept/.exec(output);
    const version = /claude-code (\S+)/.exec(installed.output)?.[1] ?? "of unknown version";
    const scenarios = output.match(/^ {2}(kept|broken) {1,3}(?!.*\b(must|should)\b)/gm)?.length ?? 0;
    return {
      measured: `Claude Code ${version}: ${clauses?.[0] ?? "nothing judged"}, ${scenarios} scenarios`,
      holds: code === 0 && clauses !== null && clauses[1] === clauses[2],
    };
  },
};

import type { Claim } from "../measure/claim.ts";
import { judgeAgent } from "./judge-agent.ts";

export const realClaudeConforms: Claim = {
  id: "real-claude-conforms",
  statement: "Every MUST clause holds for claude-code on the real program, offline, in every situation.",
  bound: "all MUST clauses, in all scenarios",
  async prove() {
    const { version, kept, total, scenarios, output } = await judgeAgent("claude-code");
    if (kept < total) console.log(output);
    return {
      measured: `Claude Code ${version}: ${kept} of ${total} MUST clauses kept, ${scenarios} scenarios`,
      holds: total > 0 && kept === total,
    };
  },
};

import { supportedVersions } from "../scripts/versions.ts";
import type { Claim } from "../measure/claim.ts";
import { judgeAgent } from "./judge-agent.ts";

export const cliUpgrades: Claim = {
  id: "cli-upgrades",
  statement: "The newest version of an agent and two earlier minor versions keep every MUST clause.",
  bound: "all MUST clauses, each version",
  async prove() {
    const parts: string[] = [];
    let holds = true;
    for (const [agent, agentVersions] of Object.entries(supportedVersions)) {
      for (const version of agentVersions) {
        const { kept, total, brokenScenarios, output } = await judgeAgent(agent, { version });
        if (brokenScenarios.length > 0) console.log(output);
        holds &&= total > 0 && kept === total;
        parts.push(`${agent} ${version} ${kept} of ${total}`);
      }
    }
    return { measured: parts.join(", "), holds };
  },
};

import { versions } from "../scripts/versions.ts";
import type { Claim } from "./claim.ts";
import { onTheStage } from "./on-the-stage.ts";

export const cliUpgrades: Claim = {
  id: "cli-upgrades",
  says: "Not only today's program: the newest and two earlier minor versions keep every MUST clause.",
  bound: "all MUST clauses, each version",
  async prove() {
    const parts: string[] = [];
    let holds = true;
    for (const [agent, some] of Object.entries(versions)) {
      for (const version of some) {
        const { kept, of, broken, output } = await onTheStage(agent, { version });
        if (broken.length > 0) console.log(output);
        holds &&= of > 0 && kept === of;
        parts.push(`${agent} ${version} ${kept} of ${of}`);
      }
    }
    return { measured: parts.join(", "), holds };
  },
};

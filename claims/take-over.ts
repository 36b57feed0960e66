import { adapters } from "@fairlead/adapters";
import { runQuietly } from "../scripts/run.ts";
import type { Claim } from "./claim.ts";

interface Seen {
  readonly leads: readonly string[];
  readonly knows: readonly string[];
  readonly violations: readonly unknown[];
  readonly left: number;
}

const words = 3;

/** On every agent that says it can: a person in a real terminal, a daemon that is another one each time, and no network. */
export const takeOver: Claim = {
  id: "takeover",
  says: "A person takes a session over in the agent's own terminal and hands it back; the agent knows what was said there.",
  bound: `${words} of ${words} words known, in a lawful journal, with no process left`,
  async prove() {
    const parts: string[] = [];
    let holds = true;
    for (const { manifest } of adapters) {
      if (!manifest.capabilities.includes("take-over")) continue;
      const args = ["node", "claims/take-over/real-agent.ts", JSON.stringify({ agent: manifest.id })];
      const { code, output } = await runQuietly("scripts/offline", args);
      const seen = code === 0 ? (JSON.parse(output.trim().split("\n").at(-1) ?? "") as Seen) : null;
      const kept =
        seen?.knows.length === words &&
        seen.leads.join() === "human,agent" &&
        seen.violations.length === 0 &&
        seen.left === 0;
      if (!kept) console.log(output);
      holds &&= kept;
      parts.push(`${manifest.id} ${seen === null ? "failed" : `${seen.knows.length} words, ${seen.left} left`}`);
    }
    return { measured: parts.join(", "), holds: holds && parts.length > 0 };
  },
};

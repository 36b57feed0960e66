import { adapters } from "@fairlead/adapters";
import { runQuietly } from "../../scripts/run.ts";
import type { Claim } from "../../measure/claim.ts";

interface TakeOverResult {
  readonly leads: readonly string[];
  readonly knows: readonly string[];
  readonly violations: readonly unknown[];
  readonly left: number;
}

const wordCount = 3;

/** Runs on every agent that declares it: a person in a real terminal, a new daemon each time, and no network. */
export const takeOver: Claim = {
  id: "takeover",
  statement:
    "A person takes over a session in the agent's own terminal and hands it back. The agent knows what was said there.",
  bound: `${wordCount} of ${wordCount} words known, lawful journal, 0 processes left`,
  async prove() {
    const parts: string[] = [];
    let holds = true;
    for (const { manifest } of adapters) {
      if (!manifest.capabilities.includes("take-over")) continue;
      const args = ["node", "claims/take-over/real-agent.ts", JSON.stringify({ agent: manifest.id })];
      const { code, output } = await runQuietly("scripts/offline", args);
      const result = code === 0 ? (JSON.parse(output.trim().split("\n").at(-1) ?? "") as TakeOverResult) : null;
      const isKept =
        result?.knows.length === wordCount &&
        result.leads.join() === "human,agent" &&
        result.violations.length === 0 &&
        result.left === 0;
      if (!isKept) console.log(output);
      holds &&= isKept;
      parts.push(`${manifest.id} ${result === null ? "failed" : `${result.knows.length} words, ${result.left} left`}`);
    }
    return { measured: parts.join(", "), holds: holds && parts.length > 0 };
  },
};

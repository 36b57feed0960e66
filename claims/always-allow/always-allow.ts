import type { Claim } from "../../measure/claim.ts";
import { runQuietly } from "../../scripts/run.ts";
import { nearMisses, type GrantRun } from "./try-grants.ts";

const agents: readonly string[] = ["claude-code", "codex"];

export const alwaysAllow: Claim = {
  id: "always-allow",
  statement: "An answer that counts for later covers the same command in other forms, and nothing beside it.",
  bound:
    "real claude-code and codex, after `npm test` was allowed for the session, and from now on with another session: 10 variants run, 0 asked about; 10 near misses, 0 unasked; control without a policy: all near misses unasked; a comparison of the first characters would let some through",
  async prove() {
    const installed = await runQuietly("npm", ["run", "agents"]);
    if (installed.code !== 0) throw new Error(installed.output);
    const { code, output } = await runQuietly("scripts/offline", [
      "node",
      "claims/always-allow/try-grants.ts",
      ...agents,
    ]);
    if (code !== 0) throw new Error(output);
    const runs = output.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as GrantRun] : []));
    const granted = runs.filter(({ scope }) => scope !== "none");
    const controls = runs.filter(({ scope }) => scope === "none");
    const byPrefix = nearMisses.filter((command) => command.startsWith("npm test"));
    return {
      measured: [
        ...granted.map(
          ({ agent, version, scope, askedVariants, unaskedMisses }) =>
            `${agent} ${version ?? ""} ${scope}: ${list(askedVariants)} of 10 variants asked about, ${list(unaskedMisses)} of 10 near misses unasked`,
        ),
        `control: ${controls.map(({ agent, unaskedMisses }) => `${agent} ${unaskedMisses.length} near misses unasked`).join(", ")}`,
        `a comparison of the first characters lets ${byPrefix.length} of 10 through`,
      ].join("; "),
      holds:
        granted.length === 2 * agents.length &&
        granted.every((run) => run.isOffered && run.askedVariants.length + run.unaskedMisses.length === 0) &&
        controls.length === agents.length &&
        controls.every(({ unaskedMisses }) => unaskedMisses.length === nearMisses.length) &&
        byPrefix.length > 0,
    };
  },
};

const list = (commands: readonly string[]): string =>
  commands.length === 0 ? "0" : `${commands.length} (${commands.map((command) => `\`${command}\``).join(", ")})`;

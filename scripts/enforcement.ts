/**
 * Judges what enforces a policy on the agents' real programs:
 * `scripts/offline node scripts/enforcement.ts [--agent ID] [--only TEXT] [--policy-off] [--note | --json]`.
 */
import { parseArgs } from "node:util";
import { adapters } from "@fairlead/adapters";
import { judgeEnforcement } from "@fairlead/conformance";
import { testBenches } from "@fairlead/lab";
import { enforcementModes, recordEnforcement, unguardedMode } from "./enforcement-page.ts";

const { values } = parseArgs({
  options: {
    agent: { type: "string" },
    /** Judge only calls whose title contains this text. */
    only: { type: "string", default: "" },
    /** Judge without a policy, in the mode that allows most: the effects that a policy is about. */
    "policy-off": { type: "boolean", default: false },
    /** Store the findings and write docs/status/enforcement.md. */
    note: { type: "boolean", default: false },
    /** Print one JSON value per agent and mode. */
    json: { type: "boolean", default: false },
  },
});
const { agent, only, note, json } = values;
const isPolicyOff = values["policy-off"];
if (note && (isPolicyOff || only !== "")) throw new Error("--note stores the findings of all calls with the policy.");

for (const adapter of adapters) {
  const { manifest } = adapter;
  const openBench = testBenches[manifest.id];
  // The person who sends a message to a shell typed the command.
  const isJudged = openBench !== undefined && manifest.id !== "shell" && (agent ?? manifest.id) === manifest.id;
  if (!isJudged) continue;
  for (const mode of isPolicyOff ? [unguardedMode(manifest)] : enforcementModes(manifest)) {
    if (!json) console.log(`${manifest.id} ${mode}`);
    const record = await judgeEnforcement(adapter, openBench, {
      mode,
      isPolicyOff,
      only,
      onFinding: ({ category, title, level }) => json || console.log(`  ${level.padEnd(9)} ${category}: ${title}`),
    });
    console.log(json ? JSON.stringify(record) : `  ${record.unasked} calls unasked`);
    if (note) recordEnforcement(record);
  }
}

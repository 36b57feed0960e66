import { isDeepStrictEqual } from "node:util";
import type { Drift } from "@fairlead/conformance";
import { findAgent } from "@fairlead/lab";
import { runQuietly } from "../scripts/run.ts";
import type { Claim } from "./claim.ts";
import { doctor } from "./drift-seen/doctor.ts";
import { onTheStage } from "./on-the-stage.ts";

const agent = "claude-code";
const changed = "doctored-words";
const poorer = "doctored-flags";

const expected: Drift = {
  flags: ["The flag --fork-session has vanished."],
  wire: [
    'The message "novelty" has appeared.',
    'The member is_error of "result success" has vanished.',
    'The member failed of "result success" has appeared.',
  ],
  events: ['In "plain turn", event 3 was text.ended and is unrecognized.'],
  // Of a turn of which it is not said that it went well, we do not say so either.
  clauses: ["turn:outcome was kept and is broken."],
};

export const driftSeen: Claim = {
  id: "drift-seen",
  says: "A program that has changed is reported exactly, and sessions on it degrade or refuse; none hangs.",
  bound: "a renamed field, a dropped flag and a new message are told, and nothing else; each session comes to its end",
  async prove() {
    await runQuietly("node", ["scripts/install-agents.ts", agent]);
    doctor(agent, changed, {
      dropped: "--fork-session",
      renamed: { message: "result", from: "is_error", to: "failed" },
      novelty: { before: "system", says: { type: "novelty", at: { last: true } } },
    });
    doctor(agent, poorer, { dropped: "--include-partial-messages" });
    const { version } = findAgent(agent);
    const same = await drift(version, version);
    const found = await drift(version, changed);
    const lost = await onTheStage(agent, { version: poorer, only: "plain turn" });
    const exact = isDeepStrictEqual(found, expected);
    if (!exact) console.log(JSON.stringify(found, null, 2));
    const quiet = Object.values(same).every((sentences: readonly string[]) => sentences.length === 0);
    return {
      measured:
        `${agent} ${version}: reported ${exact ? "exactly" : "otherwise"} (${Object.values(found).flat().length} ` +
        `sentences), against itself ${quiet ? "nothing" : "something"}; with a flag less that we use, ` +
        `${lost.scenarios - lost.broken.length} of ${lost.scenarios} sessions went on without it`,
      holds: exact && quiet && lost.scenarios > 0 && lost.broken.length === 0,
    };
  },
};

async function drift(before: string, after: string): Promise<Drift> {
  const options = JSON.stringify({ agent, versions: [before, after], only: "plain turn" });
  const { code, output } = await runQuietly("scripts/offline", ["node", "packages/cli/src/drift-offline.ts", options]);
  if (code !== 0) throw new Error(output);
  return JSON.parse(output.split("\n").findLast((line) => line.startsWith("{")) ?? "{}") as Drift;
}

import { isDeepStrictEqual } from "node:util";
import type { Claim } from "../../measure/claim.ts";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { runQuietly } from "../../scripts/run.ts";
import { supportedVersions } from "../../scripts/versions.ts";
import type { ToolCalls } from "./call-tools.ts";
import { killServices } from "./kill-services.ts";
import { reuseCallId } from "./reuse-call-id.ts";

/** The real programs: three versions of two vendors' agents, and our own agent. */
const programs: readonly string[] = [
  ...["claude-code", "codex"].flatMap((agent) =>
    (supportedVersions[agent] ?? []).map((version) => `${agent}=${version}`),
  ),
  "openai-api",
];
const kills = 200;
const calls = 120;
const control = { kills: 20, calls: 20, usesKey: false };

export const toolsOnce: Claim = {
  id: "tools-once",
  statement:
    "A tool is defined once: every agent that takes tools gets the same schema and the same refusals, and a crash does not repeat its effect.",
  bound: `real claude-code and codex in three versions each, and openai-api: the same schema, 1 of 4 inputs accepted, the same refusals; ${kills} daemons killed between call and result: one effect per call, one result; a call id used again after a resume: two effects; control: without the key, a repeated effect`,
  async prove() {
    for (const program of programs.filter((one) => one.includes("="))) {
      const [agent = ""] = program.split("=");
      const install = [`FAIRLEAD_AGENT_VERSIONS=${program}`, "node", "scripts/install-agents.ts", agent];
      const installed = await runQuietly("env", install);
      if (installed.code !== 0) throw new Error(installed.output);
    }
    const { code, output } = await runQuietly("scripts/offline", [
      "node",
      "claims/tools-once/call-tools.ts",
      ...programs,
    ]);
    if (code !== 0) throw new Error(output);
    const runs = output.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as ToolCalls] : []));
    const [first] = runs;
    const different = runs.filter(
      ({ schema, results }) =>
        !isDeepStrictEqual(comparable(schema), comparable(first?.schema)) ||
        !isDeepStrictEqual(results, first?.results),
    );
    const wrong = runs.filter(({ booked }) => !isDeepStrictEqual(booked, ["7A"]));
    const random = SeededRandom.fromEnvironment();
    const killed = await killServices(random, { kills, calls, usesKey: true });
    const unkeyed = await killServices(random, control);
    const { keys, ids } = await reuseCallId();
    return {
      measured:
        `${runs.map(({ agent, version }) => `${agent} ${version ?? ""}`.trim()).join(", ")}: ` +
        `${different.length} with another schema or another result, ${wrong.length} with another effect; ` +
        `${killed.kills} daemons killed in ${killed.calls} calls: the tool ran ${killed.attempts} times, ` +
        `${killed.bookings} effects, ${killed.results} results, ${killed.successes} successful (seed ${random.seed}); ` +
        `call id ${[...new Set(ids)].join(", ")} used ${ids.length} times: ${new Set(keys).size} effects; ` +
        `control without the key: ${unkeyed.bookings} effects of ${unkeyed.calls} calls after ${unkeyed.kills} kills`,
      holds:
        runs.length === programs.length &&
        different.length + wrong.length === 0 &&
        first?.results.filter(({ ok }) => ok).length === 1 &&
        first.results.length === 4 &&
        killed.kills === kills &&
        killed.attempts > calls &&
        [killed.bookings, killed.results, killed.successes].every((count) => count === calls) &&
        new Set(ids).size === 1 &&
        new Set(keys).size === 2 &&
        unkeyed.bookings > unkeyed.calls,
    };
  },
};

/** What a schema says. Codex leaves out the limits of numbers, and the default. */
function comparable(schema: unknown): object {
  const { properties = {}, required } = (schema ?? {}) as {
    readonly properties?: Readonly<Record<string, { readonly type?: string; readonly description?: string }>>;
    readonly required?: readonly string[];
  };
  const fields = Object.entries(properties).map(([name, { type, description }]) => `${name} ${type} ${description}`);
  return { fields: fields.toSorted((one, other) => one.localeCompare(other)), required };
}

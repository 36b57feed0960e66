import { adapters } from "@fairlead/adapters";
import { runQuietly } from "../../scripts/run.ts";
import type { Claim } from "../../measure/claim.ts";
import { findEssentialKinds, matchesExpected } from "./expected-kinds.ts";
import type { BriefRun } from "./run-brief.ts";

/** A shell has no model that could follow a brief of several steps. */
const modelAdapters = adapters.filter(({ manifest }) => manifest.id !== "shell");

export const sameSkeleton: Claim = {
  id: "same-skeleton",
  statement:
    "One brief (write a file, run a command, fail a command, ask, finish) gives the same events on every agent.",
  bound: "the same sequence of event kinds, except for undeclared capabilities (docs/status/differences.md)",
  async prove() {
    const ids = modelAdapters.map(({ manifest }) => manifest.id);
    const installed = await runQuietly("npm", ["run", "agents"]);
    if (installed.code !== 0) throw new Error(installed.output);
    const { code, output } = await runQuietly("scripts/offline", ["node", "claims/same-skeleton/run-brief.ts", ...ids]);
    if (code !== 0) throw new Error(output);
    const runs = output.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as BriefRun] : []));
    const differing = runs.filter(({ agent, kinds }) => {
      const capabilities = adapters.find(({ manifest }) => manifest.id === agent)?.manifest.capabilities ?? [];
      return !matchesExpected(kinds, capabilities);
    });
    for (const { agent, kinds } of differing) console.log(`${agent}: ${findEssentialKinds(kinds).join(" ")}`);
    const names = runs.map(({ agent, version }) => `${agent} ${version ?? ""}`.trimEnd()).join(", ");
    return {
      measured: `${runs.length - differing.length} of ${runs.length} the same (${names})`,
      holds: runs.length === ids.length && differing.length === 0,
    };
  },
};

import { adapters } from "@fairlead/adapters";
import { runQuietly } from "../scripts/run.ts";
import type { Claim } from "./claim.ts";
import { bones, isSame } from "./same-skeleton/skeletons.ts";
import type { Played } from "./same-skeleton/play.ts";

/** A shell has no model that could carry out a brief of several steps. */
const talkers = adapters.filter(({ manifest }) => manifest.id !== "shell");

export const sameSkeleton: Claim = {
  id: "same-skeleton",
  says: "One brief (write a file, run a command, fail a command, be asked, finish) has the same events on every agent.",
  bound: "the same sequence of event kinds, without what an agent declares not to have (docs/differences.md)",
  async prove() {
    const ids = talkers.map(({ manifest }) => manifest.id);
    const installed = await runQuietly("npm", ["run", "agents"]);
    if (installed.code !== 0) throw new Error(installed.output);
    const { code, output } = await runQuietly("scripts/offline", ["node", "claims/same-skeleton/play.ts", ...ids]);
    if (code !== 0) throw new Error(output);
    const all = output.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Played] : []));
    const differing = all.filter(({ agent, kinds }) => {
      const capabilities = adapters.find(({ manifest }) => manifest.id === agent)?.manifest.capabilities ?? [];
      return !isSame(kinds, capabilities);
    });
    for (const { agent, kinds } of differing) console.log(`${agent}: ${bones(kinds).join(" ")}`);
    const names = all.map(({ agent, version }) => `${agent} ${version ?? ""}`.trimEnd()).join(", ");
    return {
      measured: `${all.length - differing.length} of ${all.length} the same (${names})`,
      holds: all.length === ids.length && differing.length === 0,
    };
  },
};

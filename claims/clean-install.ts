import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, runQuietly } from "../scripts/run.ts";
import type { Claim } from "./claim.ts";

/** It was fifteen with one real agent; now there are eight. */
const minutes = 30;

/** The environment of a clean machine: no Node but the system's, nothing cached, no settings of ours. */
function cleanEnvironment(folder: string): NodeJS.ProcessEnv {
  const path = (process.env["PATH"] ?? "")
    .split(":")
    .filter((one) => !one.includes("node_modules") && !one.startsWith(root));
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_)|NODE_(OPTIONS|PATH)|FAIRLEAD_|VITEST)/.test(name),
  );
  return { ...Object.fromEntries(kept), PATH: path.join(":"), CI: "true", npm_config_cache: join(folder, "cache") };
}

export const cleanInstall: Claim = {
  id: "clean-install",
  says: "A clean clone of what is committed passes .ci/run with an empty npm cache.",
  bound: `exit code 0 within ${minutes} minutes`,
  async prove() {
    const folder = mkdtempSync(join(tmpdir(), "clean-"));
    try {
      const clone = join(folder, "clone");
      await runQuietly("git", ["clone", "--quiet", root, clone]);
      const began = performance.now();
      const { code, output } = await runQuietly("bash", [".ci/run"], { cwd: clone, env: cleanEnvironment(folder) });
      const took = (performance.now() - began) / 60_000;
      if (code !== 0) console.log(output.split("\n").slice(-60).join("\n"));
      const count = /^\d+ passed, \d+ failed$/m.exec(output)?.[0] ?? "no tests";
      return { measured: `exit code ${code} in ${took.toFixed(1)} min, ${count}`, holds: code === 0 && took < minutes };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

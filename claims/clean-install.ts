import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, runQuietly } from "../scripts/run.ts";
import type { Claim } from "../measure/claim.ts";

const maxMinutes = 30;

/** The environment of a clean machine: the system's Node, an empty cache, no settings. */
function createCleanEnvironment(folder: string): NodeJS.ProcessEnv {
  const path = (process.env["PATH"] ?? "")
    .split(":")
    .filter((one) => !one.includes("node_modules") && !one.startsWith(root));
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_)|NODE_(OPTIONS|PATH)|FAIRLEAD_|VITEST)/.test(name),
  );
  return {
    ...Object.fromEntries(inherited),
    PATH: path.join(":"),
    CI: "true",
    npm_config_cache: join(folder, "cache"),
  };
}

export const cleanInstall: Claim = {
  id: "clean-install",
  statement: "A clean clone of the commit passes .ci/run with an empty npm cache.",
  bound: `exit code 0 within ${maxMinutes} minutes`,
  async prove() {
    const folder = mkdtempSync(join(tmpdir(), "clean-"));
    try {
      const clone = join(folder, "clone");
      await runQuietly("git", ["clone", "--quiet", root, clone]);
      const startedAt = performance.now();
      const { code, output } = await runQuietly("bash", [".ci/run"], {
        cwd: clone,
        env: createCleanEnvironment(folder),
      });
      const elapsed = (performance.now() - startedAt) / 60_000;
      if (code !== 0) console.log(output.split("\n").slice(-60).join("\n"));
      const count = /^\d+ passed, \d+ failed$/m.exec(output)?.[0] ?? "no tests";
      return {
        measured: `exit code ${code} in ${elapsed.toFixed(1)} min, ${count}`,
        holds: code === 0 && elapsed < maxMinutes,
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

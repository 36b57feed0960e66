import { join } from "node:path";
import { root, runQuietly } from "../run.ts";

/** Runs a program, also one that a development dependency provides, and returns its output. */
export async function runOrThrow(program: string, args: readonly string[], cwd = root): Promise<string> {
  const path = `${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`;
  // Otherwise npm prints warnings about unknown settings into the output that callers parse.
  const env = { ...process.env, PATH: path, npm_config_loglevel: "error" };
  const { code, output } = await runQuietly(program, args, { cwd, env });
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed:\n${output}`);
  return output;
}

/** Compiles all packages into their `dist` folders. */
export async function buildPackages(): Promise<void> {
  await runOrThrow("tsc", ["--build", "tsconfig.build.json"]);
}

import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { root, runQuietly } from "../run.ts";

/** Runs a program, also one that a development dependency provides, and returns its output. */
export async function runOrThrow(
  program: string,
  args: readonly string[],
  cwd = root,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const path = `${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`;
  // Otherwise npm prints warnings about unknown settings into the output that callers parse.
  const env = { ...process.env, PATH: path, npm_config_loglevel: "error", ...variables };
  const { code, output } = await runQuietly(program, args, { cwd, env });
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed:\n${output}`);
  return output;
}

/** Compiles all packages into their `dist` folders, and builds the web page if its sources are newer. */
export async function buildPackages(): Promise<void> {
  await runOrThrow("tsc", ["--build", "tsconfig.build.json"]);
  // A test has another value, with which the page would be built for development, with paths of this machine.
  if (!isPageCurrent()) await runOrThrow("vite", ["build", "packages/web"], root, { NODE_ENV: "production" });
}

/** A build replaces the page, so tests that run at the same time must not build it again for nothing. */
function isPageCurrent(): boolean {
  const changedAt = (file: string): number => statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const builtAt = changedAt("packages/web/dist/page/index.html");
  const sources = ["packages/web/{index.html,*.ts,package.json}", "packages/{api,client,contract,web}/src/**"];
  return globSync(sources, { cwd: root }).every((file) => file.includes(".test.") || changedAt(file) <= builtAt);
}

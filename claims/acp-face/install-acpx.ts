import { mkdirSync, writeFileSync } from "node:fs";
import { root, runQuietly } from "../../scripts/run.ts";

export const acpxVersion = "0.19.1";
const cwd = `${root}.agents/acpx`;
export const acpxProgram = `${cwd}/node_modules/.bin/acpx`;

/** Installs the client beside the lab's agents, in a folder that git ignores, unless it is there. */
export async function installAcpx(): Promise<void> {
  mkdirSync(cwd, { recursive: true });
  const found = await runQuietly(acpxProgram, ["--version"]).catch(() => ({ output: "" }));
  if (found.output.trim() === acpxVersion) return;
  writeFileSync(`${cwd}/package.json`, `${JSON.stringify({ name: "agent-acpx", private: true })}\n`);
  const options = ["--no-audit", "--no-fund", "--save-exact"];
  const { code, output } = await runQuietly("npm", ["install", ...options, `acpx@${acpxVersion}`], { cwd });
  if (code !== 0) throw new Error(output);
}

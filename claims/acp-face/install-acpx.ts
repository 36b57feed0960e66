import { mkdirSync, writeFileSync } from "node:fs";
import { root, runQuietly } from "../../scripts/run.ts";

export const acpxVersion = "0.19.1";
const acpxFolder = `${root}.agents/acpx`;
export const acpxProgram = `${acpxFolder}/node_modules/.bin/acpx`;

/** Installs the client beside the lab's agents, in a folder that git ignores, unless it is installed. */
export async function installAcpx(): Promise<void> {
  mkdirSync(acpxFolder, { recursive: true });
  const found = await runQuietly(acpxProgram, ["--version"]).catch(() => ({ output: "" }));
  if (found.output.trim() === acpxVersion) return;
  writeFileSync(`${acpxFolder}/package.json`, `${JSON.stringify({ name: "agent-acpx", private: true })}\n`);
  const options = ["--no-audit", "--no-fund", "--save-exact"];
  const { code, output } = await runQuietly("npm", ["install", ...options, `acpx@${acpxVersion}`], { cwd: acpxFolder });
  if (code !== 0) throw new Error(output);
}

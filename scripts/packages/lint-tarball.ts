import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { runQuietly } from "../run.ts";

const attw = fileURLToPath(new URL("dist/index.js", import.meta.resolve("@arethetypeswrong/cli/package.json")));

/** Lists what publint finds in a tarball, suggestions included. */
export async function runPublint(tarball: string): Promise<string[]> {
  const bytes = new Uint8Array(readFileSync(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer } });
  return messages.map((message) => `publint: ${formatMessage(message, pkg ?? {}, { color: false }) ?? message.code}`);
}

/** Lists what attw finds in a tarball: entry points whose types do not resolve, or do not match the code. */
export async function runAttw(tarball: string): Promise<string[]> {
  const args = [attw, tarball, "--profile", "esm-only", "--format", "ascii", "--no-color", "--no-emoji"];
  const { code, output } = await runQuietly(process.execPath, args);
  return code === 0 ? [] : [`attw: ${output.trim()}`];
}

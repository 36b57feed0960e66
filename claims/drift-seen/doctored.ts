/** A vendor's program that has changed: `node doctored.ts CHANGES REAL ARGUMENT…` runs the real one and doctors what it says. */
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";

export interface Changes {
  /** A flag that is no longer there: neither in the help, nor taken. */
  readonly dropped?: string;
  /** A member of a message that has another name now. */
  readonly renamed?: { readonly message: string; readonly from: string; readonly to: string };
  /** A message that nobody has heard of, said before this one. */
  readonly novelty?: { readonly before: string; readonly says: object };
}

const [given = "{}", real = "", ...args] = process.argv.slice(2);
const { dropped, renamed, novelty } = JSON.parse(given) as Changes;

if (dropped !== undefined && args.includes(dropped)) {
  process.stderr.write(`error: unknown option '${dropped}'\n`);
  process.exit(1);
}
if (args.includes("--help")) {
  const { stdout } = spawnSync(real, args, { encoding: "utf8" });
  const lines = stdout.split("\n").filter((line) => dropped === undefined || !line.includes(dropped));
  process.stdout.write(lines.join("\n"));
} else {
  const child = spawn(real, args, { stdio: ["inherit", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) process.stdout.write(doctor(line));
  const code = child.exitCode ?? (await new Promise<number | null>((resolve) => child.on("exit", resolve)));
  process.exitCode = code ?? 1;
}

function doctor(line: string): string {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return `${line}\n`;
  }
  const { type } = message as { type?: unknown };
  const before = novelty !== undefined && type === novelty.before ? `${JSON.stringify(novelty.says)}\n` : "";
  if (renamed === undefined || type !== renamed.message) return `${before}${line}\n`;
  const { [renamed.from]: value, ...rest } = message as Record<string, unknown>;
  return `${before}${JSON.stringify({ ...rest, [renamed.to]: value })}\n`;
}

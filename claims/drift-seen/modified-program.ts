/** A changed vendor program: `node modified-program.ts CHANGES REAL ARGUMENT…` runs the real one and modifies its output. */
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";

export interface ProgramChanges {
  /** A removed flag: missing from the help and rejected. */
  readonly droppedFlag?: string;
  /** A renamed field of a message. */
  readonly renamedMember?: { readonly message: string; readonly from: string; readonly to: string };
  /** An unknown message, inserted before this one. */
  readonly newMessage?: { readonly before: string; readonly message: object };
}

const [changesJson = "{}", realProgram = "", ...args] = process.argv.slice(2);
const { droppedFlag, renamedMember, newMessage } = JSON.parse(changesJson) as ProgramChanges;

if (droppedFlag !== undefined && args.includes(droppedFlag)) {
  process.stderr.write(`error: unknown option '${droppedFlag}'\n`);
  process.exit(1);
}
if (args.includes("--help")) {
  const { stdout } = spawnSync(realProgram, args, { encoding: "utf8" });
  const lines = stdout.split("\n").filter((line) => droppedFlag === undefined || !line.includes(droppedFlag));
  process.stdout.write(lines.join("\n"));
} else {
  const child = spawn(realProgram, args, { stdio: ["inherit", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) process.stdout.write(modifyLine(line));
  const code = child.exitCode ?? (await new Promise<number | null>((resolve) => child.on("exit", resolve)));
  process.exitCode = code ?? 1;
}

function modifyLine(line: string): string {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return `${line}\n`;
  }
  const { type } = message as { type?: unknown };
  const before =
    newMessage !== undefined && type === newMessage.before ? `${JSON.stringify(newMessage.message)}\n` : "";
  if (renamedMember === undefined || type !== renamedMember.message) return `${before}${line}\n`;
  const { [renamedMember.from]: value, ...rest } = message as Record<string, unknown>;
  return `${before}${JSON.stringify({ ...rest, [renamedMember.to]: value })}\n`;
}

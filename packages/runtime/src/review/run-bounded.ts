import { spawn } from "node:child_process";
import type { CommandLine } from "./enclosure.ts";

export interface Bounds {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** How many bytes of output are wanted; a command that says more is ended there. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface Ran {
  /** Null when it was ended by us or by a signal. */
  readonly code: number | null;
  readonly output: Buffer;
  readonly complaint: string;
  /** Whether there was more output than was wanted. */
  readonly isCut: boolean;
}

const complaintLimit = 4096;

/** Runs a command that may say more, or take longer, than anybody wants to know. */
export async function runBounded([program, ...args]: CommandLine, bounds: Bounds): Promise<Ran> {
  const { cwd, env, limit, signal } = bounds;
  const child = spawn(program, args, { cwd, env, signal, killSignal: "SIGKILL", stdio: ["ignore", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  let size = 0;
  let complaint = "";
  child.stdout.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) child.kill("SIGKILL");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    if (complaint.length < complaintLimit) complaint += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  return { code, output: Buffer.concat(chunks).subarray(0, limit), complaint, isCut: size > limit };
}

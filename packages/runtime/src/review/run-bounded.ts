import { spawn } from "node:child_process";
import type { CommandLine } from "./git-sandbox.ts";

export interface RunLimits {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Limit of the output in bytes. A command that writes more is killed. */
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Written to the standard input. Without it, the input is empty. */
  readonly input?: Uint8Array;
}

export interface BoundedRunResult {
  /** Null if the command was killed by this process or by another signal. */
  readonly code: number | null;
  readonly output: Buffer;
  readonly stderr: string;
  /** Whether the output exceeded the limit. */
  readonly isTruncated: boolean;
}

const stderrLimit = 4096;

/**
 * Runs a command with limits on its output and its time. What it leaves in the background ends with it. Throws the reason of
 * the signal after the command was killed.
 */
export async function runBounded([program, ...args]: CommandLine, limits: RunLimits): Promise<BoundedRunResult> {
  const { cwd, env, limit, signal, input = new Uint8Array() } = limits;
  signal.throwIfAborted();
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  // The whole process group: a sandbox program has a child that does not end with it while it prepares the sandbox.
  const kill = (): void => killGroup(child.pid);
  using _ = onAbort(signal, kill);
  child.stdin.on("error", () => {}); // the command may exit before it has read all
  child.stdin.end(input);
  const chunks: Buffer[] = [];
  let size = 0;
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) kill();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    if (stderr.length < stderrLimit) stderr += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", kill); // what it left keeps the output open
    child.on("close", resolve);
  });
  signal.throwIfAborted();
  return { code, output: Buffer.concat(chunks).subarray(0, limit), stderr, isTruncated: size > limit };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function onAbort(signal: AbortSignal, listener: () => void): Disposable {
  signal.addEventListener("abort", listener, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", listener) };
}

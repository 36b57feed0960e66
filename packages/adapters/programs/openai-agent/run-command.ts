import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { clip } from "./clip.ts";
import { defineTool, type Outcome, type Place } from "./tool.ts";

/** Milliseconds that are left to a command's output once the command is gone. */
const lastWords = 500;

export const runCommand = defineTool({
  name: "run_command",
  description:
    "Run a shell command in the workspace and return what it prints. When it is over, whatever it left running is ended.",
  effect: "runs",
  input: z.object({
    command: z.string().describe("The command line, for bash."),
    timeout: z.number().positive().max(3600).default(120).describe("Seconds after which it is ended."),
  }),
  async use({ command, timeout }, place) {
    const overdue = AbortSignal.timeout(timeout * 1000);
    const outcome = await run(command, place, AbortSignal.any([place.signal, overdue]));
    if (place.signal.aborted) return { ok: false, output: `${outcome.output}\nIt was interrupted.` };
    if (overdue.aborted) return { ok: false, output: `${outcome.output}\nIt was ended after ${timeout} s.` };
    return outcome;
  },
});

async function run(command: string, { workspace }: Place, signal: AbortSignal): Promise<Outcome> {
  signal.throwIfAborted();
  // The key is the agent's, not that of whatever the model likes to run.
  const { OPENAI_API_KEY: _, ...env } = process.env;
  const child = spawn("bash", ["-c", command], {
    cwd: workspace.root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that what it starts can be ended with it.
    detached: true,
  });
  const end = (): void => endGroup(child);
  signal.addEventListener("abort", end, { once: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output = clip(output + text)));
  }
  const closed = once(child, "close");
  try {
    const [code, killed] = (await once(child, "exit")) as [number | null, string | null];
    // What it left behind would keep its output open.
    end();
    await Promise.race([closed, wait(lastWords, undefined, { ref: false })]);
    if (code === 0) return { ok: true, output };
    return { ok: false, output: `${output}\n${killed === null ? `exit code ${code}` : `ended by ${killed}`}` };
  } finally {
    signal.removeEventListener("abort", end);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
}

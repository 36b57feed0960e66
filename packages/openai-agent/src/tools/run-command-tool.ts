import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { clipMiddle, defineAgentTool, type AgentToolOutcome, type AgentToolContext } from "./agent-tool.ts";

/** How long the tool waits for a command's output to close after the command has exited, in ms. */
const outputGracePeriod = 500;

export const runCommandTool = defineAgentTool({
  name: "run_command",
  description:
    "Run a shell command in the workspace and return its output. Processes that it leaves running are killed when it exits.",
  effect: "runs",
  input: z.object({
    command: z.string().describe("The bash command line."),
    timeout: z.number().positive().max(3600).default(120).describe("Seconds after which the command is killed."),
  }),
  async use({ command, timeout }, context) {
    const timedOut = AbortSignal.timeout(timeout * 1000);
    const outcome = await runShell(command, context, AbortSignal.any([context.signal, timedOut]));
    if (context.signal.aborted) return { ok: false, output: `${outcome.output}\nThe command was interrupted.` };
    if (timedOut.aborted) return { ok: false, output: `${outcome.output}\nThe command was ended after ${timeout} s.` };
    return outcome;
  },
});

async function runShell(
  command: string,
  { workspace }: AgentToolContext,
  signal: AbortSignal,
): Promise<AgentToolOutcome> {
  signal.throwIfAborted();
  // Commands of the model must not read the agent's key.
  const { OPENAI_API_KEY: _, ...env } = process.env;
  const child = spawn("bash", ["-c", command], {
    cwd: workspace.root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    // A separate process group, so that the tool can kill the command with all its children.
    detached: true,
  });
  const killGroup = (): void => killProcessGroup(child);
  signal.addEventListener("abort", killGroup, { once: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output = clipMiddle(output + text)));
  }
  const closed = once(child, "close");
  try {
    const [code, signalName] = (await once(child, "exit")) as [number | null, string | null];
    // Processes that the command left running would keep its output open.
    killGroup();
    await Promise.race([closed, wait(outputGracePeriod, undefined, { ref: false })]);
    if (code === 0) return { ok: true, output };
    return { ok: false, output: `${output}\n${signalName === null ? `exit code ${code}` : `ended by ${signalName}`}` };
  } finally {
    signal.removeEventListener("abort", killGroup);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function killProcessGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // All processes of the group have exited.
  }
}

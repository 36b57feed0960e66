import type { Claim } from "../../measure/claim.ts";
import { root, runQuietly } from "../../scripts/run.ts";

/** What the CLI's commands show of a terminal after the hand-back. */
export interface TakeoverReport {
  /** How often `logs` marks a message as one of the terminal. */
  readonly messages: number;
  /** How often `logs` shows what the agent said. */
  readonly answers: number;
  /** How often `logs --json` has the call with its output. */
  readonly calls: number;
  /** Whether `logs` shows the output. */
  readonly isOutputShown: boolean;
  /** Whether the command ran at all. */
  readonly wasRun: boolean;
  /** What `files` lists. */
  readonly files: readonly string[];
  /** The sources of the turns, once each. */
  readonly sources: readonly string[];
  /** Tokens that `usage` gained. */
  readonly usage: number;
  /** Tokens that the model API served to the terminal: of the conversation, and of all requests. */
  readonly served: readonly [number, number];
}

const agents = ["claude-code", "codex"];

export const takeoverRecorded: Claim = {
  id: "takeover-recorded",
  statement:
    "What is said, run and written in the agent's own terminal is in logs, files and usage after the hand-back.",
  bound: `${agents.join(" and ")}, in a real terminal: the message, the answer, the command with its output, the file and all tokens, each once`,
  async prove() {
    const parts: string[] = [];
    let holds = true;
    for (const agent of agents) {
      await runQuietly("node", ["scripts/install-agents.ts", agent]);
      const program = `${root}claims/takeover-recorded/real-agent.ts`;
      const { code, output } = await runQuietly("scripts/offline", ["node", program, JSON.stringify({ agent })]);
      if (code !== 0) throw new Error(`${agent}: ${output}`);
      const report = JSON.parse(output.trimEnd().split("\n").at(-1) ?? "") as TakeoverReport;
      const isKept = isRecorded(report);
      if (!isKept) console.log(JSON.stringify(report));
      holds &&= isKept;
      parts.push(describe(agent, report));
    }
    return { measured: parts.join("; "), holds };
  },
};

/** Whether everything is there, each once. */
export function isRecorded(report: TakeoverReport): boolean {
  const { messages, answers, calls, isOutputShown, wasRun, files, sources, usage, served } = report;
  return (
    [messages, answers, calls].every((count) => count === 1) &&
    isOutputShown &&
    wasRun &&
    files.filter((file) => file.endsWith("written.txt")).join() === "created written.txt" &&
    new Set(files).size === files.length &&
    sources.join() === "transcript" &&
    usage > 0 &&
    usage >= served[0] &&
    usage <= served[1]
  );
}

function describe(agent: string, report: TakeoverReport): string {
  const { messages, answers, calls, files, usage, served } = report;
  return `${agent}: in logs ${messages} message, ${answers} answer, ${calls} call, files: ${files.join(", ")}, ${usage} of ${served.join(" to ")} tokens`;
}

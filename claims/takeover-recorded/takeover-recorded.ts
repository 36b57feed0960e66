import type { Claim } from "../../measure/claim.ts";
import { root, runQuietly } from "../../scripts/run.ts";

/** What the CLI's commands show of a terminal after the hand-back. */
export interface TakeoverReport {
  /** Whether `logs` marks the message as one of the terminal. */
  readonly isMarked: boolean;
  /** Whether `logs` shows what the agent said. */
  readonly isSaid: boolean;
  /** Whether `logs --json` has the call with its output, and `logs` shows it. */
  readonly isRun: boolean;
  readonly isRunShown: boolean;
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

function isRecorded(report: TakeoverReport): boolean {
  const { isMarked, isSaid, isRun, isRunShown, wasRun, files, sources, usage, served } = report;
  return (
    [isMarked, isSaid, isRun, isRunShown, wasRun].every(Boolean) &&
    files.includes("created written.txt") &&
    sources.join() === "transcript" &&
    usage > 0 &&
    usage >= served[0] &&
    usage <= served[1]
  );
}

function describe(agent: string, report: TakeoverReport): string {
  const { isMarked, isSaid, isRun, isRunShown, files, usage, served } = report;
  const shown = [isMarked, isSaid, isRun, isRunShown].filter(Boolean).length;
  return `${agent}: ${shown} of 4 in logs, files: ${files.join(", ")}, ${usage} of ${served.join(" to ")} tokens`;
}

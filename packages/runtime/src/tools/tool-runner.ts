import { cutText, keyedMap, ToolOutcome, ToolReport } from "@fairlead/contract";
import type { HostTool, Opening, ToolResult } from "@fairlead/contract";
import type { KeeperRequest } from "@fairlead/keeper";
import type { SessionState, HostToolUse } from "@fairlead/reducer";
import { requestForNote } from "../actor/keeper-requests.ts";

export interface ToolRunnerOptions {
  /** Returns the tool of this name that is offered to a session. */
  readonly findTool: (opening: Opening, name: string) => HostTool | undefined;
  /** Records the result of a call. */
  readonly record: (request: KeeperRequest) => void;
  /** Aborted when this process releases the session. */
  readonly signal: AbortSignal;
}

/** The most characters of a result that an agent gets. */
const maxResultLength = 100_000;

/**
 * Runs the tools that an agent calls. A call without a recorded result runs again after a crash, under the same key: the
 * tool makes its effect once.
 */
export class ToolRunner {
  readonly #options: ToolRunnerOptions;
  readonly #running = new Map<string, AbortController>();

  constructor(options: ToolRunnerOptions) {
    this.#options = options;
  }

  /** Runs the calls that are allowed and do not run, and aborts those that nobody waits for. */
  update({ uses, opening, spending }: Pick<SessionState, "uses" | "opening" | "spending">): void {
    if (keyedMap.size(uses) === 0 && this.#running.size === 0) return;
    for (const [key, running] of this.#running) {
      if (keyedMap.has(uses, key)) continue;
      this.#running.delete(key);
      running.abort();
    }
    if (opening === null) return;
    for (const [key, use] of keyedMap.entries(uses))
      if (use.status === "allowed" && !this.#running.has(key))
        void this.#run(key, use, { ...opening, limits: spending.limits });
  }

  async #run(key: string, use: HostToolUse, opening: Opening): Promise<void> {
    const abort = new AbortController();
    this.#running.set(key, abort);
    const signal = AbortSignal.any([abort.signal, this.#options.signal]);
    const { outcome, text, report } = await this.#use(key, use, opening, signal);
    // After a release, the next process runs it again.
    if (signal.aborted) return;
    const result = { outcome, text: cutText(text, maxResultLength), ...(report && { report }) };
    const note = { type: "tool-result", use: key, ...result } as const;
    this.#options.record(requestForNote(note, `tool-result-${key}`));
  }

  async #use(key: string, use: HostToolUse, opening: Opening, signal: AbortSignal): Promise<ToolResult> {
    const { session, workspace, limits } = opening;
    const tool = this.#options.findTool(opening, use.tool);
    if (tool === undefined)
      return { outcome: "failed", text: `The tool ${use.tool} is not available: the program that runs it is gone.` };
    const context = { session, call: use.call, key: `${session}/${key}`, workspace, signal, ...(limits && { limits }) };
    try {
      const result = await tool.use(use.input, context);
      // Agents drop a line with half a character in it, and would wait without end.
      const text = result.text.toWellFormed();
      if (ToolOutcome.parse(result.outcome) !== "done" || result.report === undefined)
        return { outcome: result.outcome, text };
      return { outcome: "done", text, report: ToolReport.parse(result.report) };
    } catch (error) {
      return { outcome: "failed", text: `The tool failed: ${String(error)}`.toWellFormed() };
    }
  }
}

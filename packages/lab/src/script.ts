import { findScript, withScript } from "@fairlead/kit";
import type { ModelUsage } from "./model-usage.ts";

/** One scripted answer of the model. Members can be combined: thinking comes first, then text, then tool calls. */
export interface ScriptStep {
  /** The thinking before the text. */
  readonly think?: string;
  readonly text?: string;
  /** The tool calls, all in one answer. */
  readonly tools?: readonly ScriptToolCall[];
  /** Milliseconds before the answer starts. */
  readonly delay?: number;
  /** Number of deltas that the text is split into. Default: 3. */
  readonly chunks?: number;
  /** Milliseconds after each delta. Default: 0. */
  readonly chunkDelay?: number;
  /** An HTTP error instead of an answer. */
  readonly error?: ScriptedFailure;
  /** Opens the stream, then only keeps it alive until the client disconnects. */
  readonly hang?: true;
  /** Destroys the connection after the first delta. If the answer is not streamed, sends nothing. */
  readonly cut?: true;
  /** Usage to report instead of the lab's own numbers. */
  readonly usage?: Partial<ModelUsage>;
}

export interface ScriptToolCall {
  readonly name: string;
  /** The group of the tool, for an API that has groups: `mcp__SERVER` for a tool of a server. */
  readonly namespace?: string;
  readonly input: unknown;
}

export interface ScriptedFailure {
  /** The HTTP status. */
  readonly status: number;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Number of times that the request fails. Default: always. */
  readonly times?: number;
  /** The answer after the last failure. Default: the text "recovered". */
  readonly afterwards?: ScriptStep;
}

/** Builds a prompt that carries a script. The agent sees the sentence; the lab reads the script after it. */
export function scriptPrompt(steps: readonly ScriptStep[], sentence = "Please do this."): string {
  return withScript(sentence, steps);
}

/** Finds the last script in a text. */
export function findScriptSteps(text: string): ScriptStep[] | undefined {
  return findScript(text);
}

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
  /** The quota of the account that the answer reports. APIs without such reports ignore it unless it is reached. */
  readonly quota?: ScriptedQuota;
}

/** What the vendor says about a quota of the account, such as that of a subscription. */
export interface ScriptedQuota {
  /** The used part, from 0 to 1. */
  readonly used: number;
  /** The length of the period. */
  readonly windowMinutes: number;
  /** The end of the period, an ISO time. Vendors report whole seconds. */
  readonly resetsAt: string;
  /** Refuses requests with HTTP status 429 until `resetsAt`. Then the step is answered, with an unused quota. */
  readonly reached?: true;
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

/** Returns the quota at a time in milliseconds since 1970: after its reset, an unused one of the next period. */
export function quotaAt(quota: ScriptedQuota, time: number): ScriptedQuota {
  const reset = Date.parse(quota.resetsAt);
  if (time < reset) return quota;
  const { windowMinutes } = quota;
  return { used: 0, windowMinutes, resetsAt: new Date(reset + windowMinutes * 60_000).toISOString() };
}

/** Builds a prompt that carries a script. The agent sees the sentence; the lab reads the script after it. */
export function scriptPrompt(steps: readonly ScriptStep[], sentence = "Please do this."): string {
  return withScript(sentence, steps);
}

/** Finds the last script in a text. */
export function findScriptSteps(text: string): ScriptStep[] | undefined {
  return findScript(text);
}

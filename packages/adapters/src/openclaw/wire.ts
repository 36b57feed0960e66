import type { ErrorCategory } from "@fairlead/contract";
import { AgentTokenCount, failureCategory, parseJsonLine, patternHead, type UsageReading } from "@fairlead/kit";
import { z } from "zod";

/** The output of `openclaw agent exec --json` of OpenClaw 2026.9.6: one object, at the end of the turn. */

const Payload = z.looseObject({
  text: z.string().nullish(),
  isError: z.boolean().optional(),
  isReasoning: z.boolean().optional(),
});

const Usage = z.looseObject({
  input: AgentTokenCount.default(0),
  output: AgentTokenCount.default(0),
  cacheRead: AgentTokenCount.default(0),
  cacheWrite: AgentTokenCount.default(0),
});

export const OpenClawResult = z.looseObject({
  ok: z.boolean(),
  status: z.enum(["ok", "error", "timeout"]),
  final: z.string(),
  payloads: z.array(Payload),
  usage: Usage.optional(),
  costUsd: z.number().optional(),
  toolSummary: z.looseObject({ calls: z.int(), tools: z.array(z.string()), failures: z.int() }).optional(),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  error: z.looseObject({ message: z.string(), kind: z.string() }).optional(),
});
export type OpenClawResult = z.infer<typeof OpenClawResult>;

/** The first line of the result object, which has many lines. */
export const firstResultLine = "{";

export function parseOpenClawResult(text: string): OpenClawResult | undefined {
  return OpenClawResult.safeParse(parseJsonLine(text)).data;
}

/** Converts the usage of a turn. Each turn counts from zero. */
export function toOpenClawUsageReading({ usage, costUsd, provider, model }: OpenClawResult): UsageReading | null {
  if (usage === undefined || model === null) return null;
  const { input: uncached, cacheRead, cacheWrite, output } = usage;
  const tokens = { uncached, cacheRead, cacheWrite, output, reasoning: 0 };
  return { kind: "delta", provider: provider ?? "unknown", model, tokens, cost: costUsd ?? null };
}

/** A failure of the model or of the program. */
export interface OpenClawFailure {
  readonly category: ErrorCategory;
  readonly message: string;
}

/** Converts the error of a result. The log often contains more detail. */
export function toOpenClawFailure({ status, error }: OpenClawResult): OpenClawFailure {
  const message = error?.message ?? status;
  return { category: status === "timeout" ? "timed-out" : failureCategory(null, message), message };
}

// oxlint-disable-next-line no-control-regex
export const stripColorCodes = (line: string): string => line.replaceAll(/\u001B\[[0-9;]*m/g, "").trim();

/** Matches a line of the log, which starts with a subsystem. The spool contains all; only failures and retries matter. */
export const logLinePattern = /^\[[\w/-]+\] /;
const retryPattern = /same-model retry (?<attempt>\d{1,9})\/(?<maxAttempts>\d{1,9}) /;

/** Parses the log line of a failed model request. */
export function parseFailureLog(line: string): OpenClawFailure | undefined {
  const head = patternHead(line);
  const isFailure = textBetween(head, "embedded run agent end: ", " error=")?.includes("isError=true ") === true;
  const message = isFailure ? textBetween(head, " error=", " rawError=") : undefined;
  if (message === undefined || message === "") return undefined;
  const raw = head.slice(head.indexOf(" rawError=") + " rawError=".length);
  const status = /^\d{3}(?=: )/.exec(raw)?.[0];
  return { category: failureCategory(status === undefined ? null : Number(status), `${raw} ${message}`), message };
}

/** Parses the log line that announces a retry after `delay` ms. */
export function parseRetryLog(line: string): { readonly delay: number; readonly message: string } | undefined {
  const head = patternHead(line);
  const { attempt = "", maxAttempts = "" } = retryPattern.exec(head)?.groups ?? {};
  const delay = attempt === "" ? undefined : /delayMs=(\d{1,9})/.exec(head)?.[1];
  if (delay === undefined) return undefined;
  return { delay: Number(delay), message: `The model did not answer. Retry ${attempt} of ${maxAttempts}.` };
}

/** Returns the text between two markers: the first one, and the next one after it. */
function textBetween(text: string, before: string, after: string): string | undefined {
  const start = text.indexOf(before);
  const end = start < 0 ? -1 : text.indexOf(after, start + before.length);
  return end < 0 ? undefined : text.slice(start + before.length, end);
}

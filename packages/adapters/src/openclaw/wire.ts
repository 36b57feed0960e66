import type { ErrorCategory } from "@fairlead/contract";
import { failureCategory, parseJsonLine, type Reading } from "@fairlead/kit";
import { z } from "zod";

/** What `openclaw agent exec --json` of OpenClaw 2026.9.6 says: one object, at the end of the turn. */

const Payload = z.looseObject({
  text: z.string().nullish(),
  isError: z.boolean().optional(),
  isReasoning: z.boolean().optional(),
});

const Usage = z.looseObject({
  input: z.int().default(0),
  output: z.int().default(0),
  cacheRead: z.int().default(0),
  cacheWrite: z.int().default(0),
});

export const Envelope = z.looseObject({
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
export type Envelope = z.infer<typeof Envelope>;

/** The object comes in many lines, of which this is the first. */
export const firstLine = "{";

export function readEnvelope(text: string): Envelope | undefined {
  return Envelope.safeParse(parseJsonLine(text)).data;
}

/** What a turn took. Every turn counts from nothing. */
export function readingOf({ usage, costUsd, provider, model }: Envelope): Reading | null {
  if (usage === undefined || model === null) return null;
  const { input: uncached, cacheRead, cacheWrite, output } = usage;
  const tokens = { uncached, cacheRead, cacheWrite, output, reasoning: 0 };
  return { kind: "delta", provider: provider ?? "unknown", model, tokens, cost: costUsd ?? null };
}

/** What is wrong with its model. */
export interface Trouble {
  readonly category: ErrorCategory;
  readonly says: string;
}

/** The object's own words for an error; some tell less than the log did. */
export function troubleOf({ status, error }: Envelope): Trouble {
  const says = error?.message ?? status;
  return { category: status === "timeout" ? "timed-out" : failureCategory(null, says), says };
}

// oxlint-disable-next-line no-control-regex
export const plain = (line: string): string => line.replaceAll(/\u001B\[[0-9;]*m/g, "").trim();

/** A line of its log, which names a room first. The spool keeps them all; two kinds of them matter to a turn. */
export const logLine = /^\[[\w/-]+\] /;
const failure =
  /embedded run agent end: .*\bisError=true .*? error=(?<says>.*?) rawError=(?:(?<status>\d{3}): )?(?<raw>.*)$/;
const retry = /same-model retry (?<attempt>\d+)\/(?<most>\d+) .*delayMs=(?<delay>\d+)/;

/** Its model failed it: of that it says the most in its log. */
export function failureIn(line: string): Trouble | undefined {
  const { says = "", status, raw = "" } = failure.exec(line)?.groups ?? {};
  if (says === "") return undefined;
  return { category: failureCategory(status === undefined ? null : Number(status), `${raw} ${says}`), says };
}

/** It will try again, after so many milliseconds. */
export function retryIn(line: string): { readonly delay: number; readonly message: string } | undefined {
  const { attempt = "", most = "", delay } = retry.exec(line)?.groups ?? {};
  if (delay === undefined) return undefined;
  return { delay: Number(delay), message: `Its model did not answer; trying again, ${attempt} of ${most}.` };
}

import type { ErrorCategory, EventOf, Question } from "@fairlead/contract";
import { ContentBlock, failureCategory, jsonLine as line, textOfContent } from "@fairlead/kit";
import type { OpenCall, Reading } from "@fairlead/kit";
import { z } from "zod";

/** What Claude Code, 1.0.128 to 2.1, says on its standard output. Loose: it adds fields at every release. */

const Parented = z.looseObject({ parent_tool_use_id: z.string().nullish() });

const System = z.looseObject({
  type: z.literal("system"),
  subtype: z.string(),
  session_id: z.string().optional(),
  model: z.string().optional(),
  status: z.string().nullish(),
  attempt: z.int().optional(),
  max_retries: z.int().optional(),
  error_status: z.int().nullish(),
  error: z.string().optional(),
  compact_metadata: z.looseObject({ trigger: z.string() }).optional(),
});

const StreamEvent = Parented.extend({
  type: z.literal("stream_event"),
  event: z.looseObject({
    type: z.string(),
    delta: z.looseObject({ text: z.string().optional(), thinking: z.string().optional() }).optional(),
  }),
});

const Assistant = Parented.extend({
  type: z.literal("assistant"),
  is_api_error_message: z.boolean().optional(),
  error: z.string().optional(),
  message: z.looseObject({ model: z.string().optional(), content: z.array(ContentBlock) }),
});

const User = z.looseObject({
  type: z.literal("user"),
  message: z.looseObject({ content: z.union([z.string().transform((text) => [text]), z.array(ContentBlock)]) }),
  tool_use_result: z.unknown().optional(),
  /** Says of a result whether the tool ran at all. */
  tool_result_meta: z.array(z.looseObject({ id: z.string(), non_execution_kind: z.string().optional() })).optional(),
});

const ModelUsage = z.looseObject({
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheReadInputTokens: z.int(),
  cacheCreationInputTokens: z.int(),
  thinkingTokens: z.int().default(0),
  costUSD: z.number(),
});

const Result = z.looseObject({
  type: z.literal("result"),
  subtype: z.string(),
  is_error: z.boolean().default(true), // Whoever does not say that it went well is not believed to.
  result: z.string().optional(),
  errors: z.array(z.string()).optional(),
  terminal_reason: z.string().nullish(),
  api_error_status: z.int().nullish(),
  /** The only figures here that are not running totals. Older versions do not have them. */
  model_usage_since_last_result: z.record(z.string(), ModelUsage).optional(),
  modelUsage: z.record(z.string(), ModelUsage).optional(),
});

const ControlRequest = z.looseObject({
  type: z.literal("control_request"),
  request_id: z.string(),
  request: z.looseObject({
    subtype: z.string(),
    tool_name: z.string().optional(),
    tool_use_id: z.string().optional(),
    description: z.string().optional(),
    input: z.looseObject({}).optional(),
  }),
});

const ControlCancel = z.looseObject({ type: z.literal("control_cancel_request"), request_id: z.string() });
const Subtyped = z.looseObject({ subtype: z.string() });
const ControlResponse = z.looseObject({ type: z.literal("control_response"), response: Subtyped });
/** Known, and of no consequence to a session. */
const asides = ["command_lifecycle", "keep_alive", "rate_limit_event", "tool_progress", "prompt_suggestion"] as const;
const Aside = z.looseObject({ type: z.enum(asides) });

const turns = [System, StreamEvent, Assistant, User, Result] as const;
const controls = [ControlRequest, ControlCancel, ControlResponse] as const;
export const Spoken = z.discriminatedUnion("type", [...turns, ...controls, Aside]);
export type Spoken = z.infer<typeof Spoken>;
export type SpokenOf<Type extends Spoken["type"]> = Extract<Spoken, { type: Type }>;

export const systemAside = /^(status|thinking_tokens|task_\w+|hook_\w+|informational|permission_denied)$/;

/** What the tools that write files say beside their words; older versions have the words only. */
const Written = z.looseObject({ filePath: z.string(), type: z.enum(["create", "update"]).optional() });
const Writing = z.looseObject({ file_path: z.string() });

type Change = Pick<EventOf<"file.changed">, "path" | "change">;

/** The file that a call has changed, if that is what it does. */
export function fileOf({ name, input }: OpenCall, told: unknown, words: string): Change | undefined {
  const written = name === "Read" ? undefined : Written.safeParse(told).data;
  const path = written?.filePath ?? (/^(Write|(Multi)?Edit)$/.test(name) && Writing.safeParse(input).data?.file_path);
  if (!path) return undefined;
  return { path, change: written?.type === "create" || words.startsWith("File created") ? "created" : "modified" };
}

const Asked = z.looseObject({
  question: z.string(),
  multiSelect: z.boolean().default(false),
  options: z.array(z.object({ label: z.string(), description: z.string().default("") })).default([]),
});

export function toQuestions(input: unknown): Question[] | undefined {
  const asked = z.looseObject({ questions: z.array(Asked) }).safeParse(input).data?.questions;
  return asked?.map(({ question, options, multiSelect }) => ({ text: question, options, several: multiSelect }));
}

/** Some versions add to a model's name how much they let it remember: `[1m]`. */
export const plainModel = (model: string | undefined): string | null => model?.replace(/\[\w+\]$/, "") ?? null;

/** Usage comes by model, since a turn may use several. */
export function readingsOf(result: SpokenOf<"result">): Reading[] {
  const { model_usage_since_last_result: since, modelUsage: total = {} } = result;
  return Object.entries(since ?? total).map(([model, used]) => ({
    kind: since === undefined ? "cumulative" : "delta",
    provider: "anthropic",
    model: plainModel(model) ?? model,
    tokens: {
      uncached: used.inputTokens,
      cacheRead: used.cacheReadInputTokens,
      cacheWrite: used.cacheCreationInputTokens,
      output: used.outputTokens,
      reasoning: used.thinkingTokens,
    },
    cost: used.costUSD,
  }));
}

/** Whether these are words that it puts into the model's mouth when the model's service fails: each version marks them. */
export function isFailure({ is_api_error_message: marked, error, message }: SpokenOf<"assistant">): boolean {
  const words = message.model === "<synthetic>" ? textOfContent(message.content) : "";
  return marked === true || error !== undefined || words.includes("API Error");
}

/** What kind of failure it tells of; older versions have words only, with the status in them. */
export function categoryOf(words: string, status?: number | null, answering = false): ErrorCategory {
  if (/no conversation found/i.test(words)) return "session-not-found";
  const category = failureCategory(status ?? Number(/API Error: .*?\b([45]\d\d)\b/.exec(words)?.[1]), words);
  // Of a broken connection it says no more than that; whether an answer had begun tells which kind it was.
  return category === "unreachable" && answering ? "connection-lost" : category;
}

const respond = (response: object): string => line({ type: "control_response", response });

/** What can be said to it, one line each. */
export const say = {
  message: (text: string): string => line({ type: "user", message: { role: "user", content: text } }),
  interrupt: (id: string): string =>
    line({ type: "control_request", request_id: id, request: { subtype: "interrupt" } }),
  grant: (id: string, response: object): string => respond({ subtype: "success", request_id: id, response }),
  refuse: (id: string, error: string): string => respond({ subtype: "error", request_id: id, error }),
};

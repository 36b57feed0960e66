import type { EventOf, Question } from "@fairlead/contract";
import { jsonLine as line } from "@fairlead/kit";
import { z } from "zod";

/** What Claude Code 2.1 says on its standard output in stream-json mode. Loose: it adds fields at every release. */

const Parented = z.looseObject({ parent_tool_use_id: z.string().nullish() });

const Block = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({ type: z.literal("thinking"), thinking: z.string() }),
  z.looseObject({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown() }),
  z.looseObject({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    is_error: z.boolean().nullish(),
    content: z.unknown(),
  }),
  z.looseObject({ type: z.enum(["redacted_thinking", "image", "document"]) }),
]);

const System = z.looseObject({
  type: z.literal("system"),
  subtype: z.string(),
  session_id: z.string().optional(),
  model: z.string().optional(),
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
  /** Set on words that it puts into the model's mouth when the model's service fails. */
  is_api_error_message: z.boolean().optional(),
  message: z.looseObject({ content: z.array(Block) }),
});

const User = z.looseObject({
  type: z.literal("user"),
  message: z.looseObject({ content: z.union([z.string().transform((text) => [text]), z.array(Block)]) }),
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
  /** The only figures here that are not running totals. */
  model_usage_since_last_result: z.record(z.string(), ModelUsage).optional(),
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

/** What the tools that write files say beside their words. */
export const Written = z.looseObject({ filePath: z.string(), type: z.enum(["create", "update"]).optional() });

const AskUserQuestion = z.looseObject({
  questions: z.array(
    z.looseObject({
      question: z.string(),
      multiSelect: z.boolean().default(false),
      options: z.array(z.object({ label: z.string(), description: z.string().default("") })).default([]),
    }),
  ),
});

export function toQuestions(input: unknown): Question[] | undefined {
  const asked = AskUserQuestion.safeParse(input).data?.questions;
  return asked?.map(({ question, options, multiSelect }) => ({ text: question, options, several: multiSelect }));
}

/** The words of a tool's result, which come plain or in blocks. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks = z.array(Block).safeParse(content).data ?? [];
  return blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** Usage comes by model, since a turn may use several. */
export function usageOf(result: SpokenOf<"result">): EventOf<"usage.reported">[] {
  return Object.entries(result.model_usage_since_last_result ?? {}).map(([model, used]) => ({
    type: "usage.reported",
    provider: "anthropic",
    model,
    tokens: {
      uncached: used.inputTokens,
      cacheRead: used.cacheReadInputTokens,
      cacheWrite: used.cacheCreationInputTokens,
      output: used.outputTokens,
      reasoning: used.thinkingTokens,
    },
    cost: { amount: used.costUSD, currency: "USD" },
    provenance: "reported",
  }));
}

/** What can be said to it, one line each. */
export const say = {
  message: (text: string): string => line({ type: "user", message: { role: "user", content: text } }),
  interrupt: (id: string): string =>
    line({ type: "control_request", request_id: id, request: { subtype: "interrupt" } }),
  grant: (id: string, response: object): string =>
    line({ type: "control_response", response: { subtype: "success", request_id: id, response } }),
  refuse: (id: string, error: string): string =>
    line({ type: "control_response", response: { subtype: "error", request_id: id, error } }),
};

import { AgentTokenCount, ContentBlock, jsonLine as line } from "@fairlead/kit";
import { z } from "zod";
import { ClaudeCodeRateLimit } from "./quota.ts";

/** The output of Claude Code 1.0.128 to 2.1. Loose: each release adds fields. */

const WithParent = z.looseObject({ parent_tool_use_id: z.string().nullish() });

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

const StreamEvent = WithParent.extend({
  type: z.literal("stream_event"),
  event: z.looseObject({
    type: z.string(),
    delta: z
      .looseObject({
        text: z.string().optional(),
        thinking: z.string().optional(),
        stop_reason: z.string().nullish(),
      })
      .optional(),
    /** The answer that starts, and the usage of the one that ends. */
    message: z.looseObject({ model: z.string().optional(), usage: z.unknown().optional() }).optional(),
    usage: z.unknown().optional(),
  }),
});

const Assistant = WithParent.extend({
  type: z.literal("assistant"),
  is_api_error_message: z.boolean().optional(),
  error: z.string().optional(),
  message: z.looseObject({
    id: z.string().optional(),
    model: z.string().optional(),
    content: z.array(ContentBlock),
    usage: z.unknown().optional(),
  }),
});

const User = WithParent.extend({
  type: z.literal("user"),
  message: z.looseObject({ content: z.union([z.string().transform((text) => [text]), z.array(ContentBlock)]) }),
  tool_use_result: z.unknown().optional(),
  /** Whether the tool of a result ran at all. */
  tool_result_meta: z.array(z.looseObject({ id: z.string(), non_execution_kind: z.string().optional() })).optional(),
});

/** The usage of a model, in a result and in the transcript. */
export const ClaudeCodeModelUsage = z.looseObject({
  inputTokens: AgentTokenCount,
  outputTokens: AgentTokenCount,
  cacheReadInputTokens: AgentTokenCount,
  cacheCreationInputTokens: AgentTokenCount,
  thinkingTokens: AgentTokenCount.default(0),
  costUSD: z.number(),
});

const Result = z.looseObject({
  type: z.literal("result"),
  subtype: z.string(),
  is_error: z.boolean().default(true), // A result without the field counts as an error.
  result: z.string().optional(),
  errors: z.array(z.string()).optional(),
  terminal_reason: z.string().nullish(),
  api_error_status: z.int().nullish(),
  /** The only counts that are not running totals. Older versions lack them. */
  model_usage_since_last_result: z.record(z.string(), ClaudeCodeModelUsage).optional(),
  modelUsage: z.record(z.string(), ClaudeCodeModelUsage).optional(),
});

/** A call has run for some time. The id is that of the call, or one of its own beside the call's. */
const ToolProgress = WithParent.extend({
  type: z.literal("tool_progress"),
  tool_use_id: z.string(),
  elapsed_time_seconds: z.number().nonnegative().optional(),
});

const ControlRequest = z.looseObject({
  type: z.literal("control_request"),
  request_id: z.string(),
  request: z.looseObject({
    subtype: z.string(),
    tool_name: z.string().optional(),
    tool_use_id: z.string().optional(),
    description: z.string().optional(),
    /** The input of the call, or a `ClaudeCodeHookInput`. */
    input: z.looseObject({}).optional(),
  }),
});

const ControlCancel = z.looseObject({ type: z.literal("control_cancel_request"), request_id: z.string() });
const WithSubtype = z.looseObject({ subtype: z.string(), request_id: z.string().optional() });
const ControlResponse = z.looseObject({ type: z.literal("control_response"), response: WithSubtype });

/** Known messages that do not affect a session. */
const ignoredTypes = ["command_lifecycle", "keep_alive", "prompt_suggestion"] as const;
const IgnoredMessage = z.looseObject({ type: z.enum(ignoredTypes) });

const turnMessages = [System, StreamEvent, Assistant, User, ToolProgress, ClaudeCodeRateLimit, Result] as const;
const controlMessages = [ControlRequest, ControlCancel, ControlResponse] as const;
export const ClaudeCodeMessage = z.discriminatedUnion("type", [...turnMessages, ...controlMessages, IgnoredMessage]);
export type ClaudeCodeMessage = z.infer<typeof ClaudeCodeMessage>;
export type ClaudeCodeMessageOf<Type extends ClaudeCodeMessage["type"]> = Extract<ClaudeCodeMessage, { type: Type }>;

export const ignoredSystemSubtypes = /^(status|thinking_tokens|task_\w+|hook_\w+|informational|permission_denied)$/;

/** Removes the context size that some versions append to a model's name: `[1m]`. */
export const stripModelSuffix = (model: string | undefined): string | null => model?.replace(/\[\w+\]$/, "") ?? null;

const formatControlResponse = (response: object): string => line({ type: "control_response", response });

/** Formats messages for Claude Code's stdin, one line each. */
export const formatClaudeCodeInput = {
  message: (text: string): string => line({ type: "user", message: { role: "user", content: text } }),
  interrupt: (id: string): string =>
    line({ type: "control_request", request_id: id, request: { subtype: "interrupt" } }),
  result: (id: string, response: object): string =>
    formatControlResponse({ subtype: "success", request_id: id, response }),
  controlError: (id: string, error: string): string =>
    formatControlResponse({ subtype: "error", request_id: id, error }),
};

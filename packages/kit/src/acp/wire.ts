import { z } from "zod";
import { AgentTokenCount } from "../meter.ts";

// Messages of agents in version 1 of the Agent Client Protocol. The schemas are loose, because agents and later
// versions of the protocol add fields.

export const InitializeResult = z.looseObject({
  protocolVersion: z.number(),
  authMethods: z.array(z.looseObject({ id: z.string() })).default([]),
  agentCapabilities: z
    .looseObject({
      loadSession: z.boolean().default(false),
      sessionCapabilities: z.looseObject({ resume: z.unknown().optional() }).nullish(),
    })
    .default({ loadSession: false }),
});
export type InitializeResult = z.infer<typeof InitializeResult>;

const ConfigOption = z.looseObject({
  id: z.string(),
  category: z.string().nullish(),
  currentValue: z.unknown().optional(),
});

/** Result of `session/new`, `session/load` and `session/resume`. Only `session/new` returns a session id. */
export const AcpSessionResult = z.looseObject({
  sessionId: z.string().optional(),
  modes: z.looseObject({ currentModeId: z.string().optional() }).nullish(),
  models: z.looseObject({ currentModelId: z.string().optional() }).nullish(),
  configOptions: z.array(ConfigOption).nullish(),
});
export type AcpSessionResult = z.infer<typeof AcpSessionResult>;

const Text = z.looseObject({ type: z.literal("text"), text: z.string() });

const ToolContent = z.looseObject({
  type: z.string(),
  content: z.looseObject({ type: z.string(), text: z.string().optional() }).optional(),
  path: z.string().optional(),
  oldText: z.string().nullish(),
  newText: z.string().nullish(),
});

/** A tool call in an announcement, an update or a permission request. */
export const AcpToolCall = z.looseObject({
  sessionUpdate: z.string().optional(),
  toolCallId: z.string(),
  title: z.string().nullish(),
  kind: z.string().nullish(),
  status: z.enum(["pending", "in_progress", "completed", "failed"]).nullish(),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  content: z.array(ToolContent).nullish(),
  locations: z.array(z.looseObject({ path: z.string() })).nullish(),
});
export type AcpToolCall = z.infer<typeof AcpToolCall>;

/** Fields of `rawOutput` in which agents report the exit code and whether a file existed before. */
export const AcpRawOutput = z.looseObject({
  exitCode: z.number().nullish(),
  exit_code: z.number().nullish(),
  metadata: z.looseObject({ exit: z.number().nullish(), exists: z.boolean().optional() }).optional(),
});

const AcpMessageChunk = z.looseObject({
  sessionUpdate: z.enum(["agent_message_chunk", "agent_thought_chunk"]),
  messageId: z.string().nullish(),
  content: Text,
});
export type AcpMessageChunk = z.infer<typeof AcpMessageChunk>;
const ToolCallUpdate = AcpToolCall.extend({ sessionUpdate: z.enum(["tool_call", "tool_call_update"]) });
const PlanUpdate = z.looseObject({
  sessionUpdate: z.literal("plan"),
  entries: z.array(
    z.looseObject({ content: z.string(), status: z.enum(["pending", "in_progress", "completed"]).default("pending") }),
  ),
});
const UsageUpdate = z.looseObject({
  sessionUpdate: z.literal("usage_update"),
  cost: z.looseObject({ amount: z.number(), currency: z.string() }).nullish(),
});
const ignoredUpdates = [
  "user_message_chunk",
  "available_commands_update",
  "current_mode_update",
  "config_option_update",
  "session_info_update",
] as const;
const IgnoredUpdate = z.looseObject({ sessionUpdate: z.enum(ignoredUpdates) });

export const SessionUpdateParams = z.looseObject({
  update: z.discriminatedUnion("sessionUpdate", [
    AcpMessageChunk,
    ToolCallUpdate,
    PlanUpdate,
    UsageUpdate,
    IgnoredUpdate,
  ]),
});
export type SessionUpdate = z.infer<typeof SessionUpdateParams>["update"];

export const PermissionRequestParams = z.looseObject({
  toolCall: AcpToolCall,
  options: z.array(z.looseObject({ optionId: z.string(), kind: z.string(), name: z.string().optional() })),
});

const TokenCount = z.looseObject({
  input_tokens: AgentTokenCount.default(0),
  output_tokens: AgentTokenCount.default(0),
});

/** Result of `session/prompt`. */
export const PromptResult = z.looseObject({
  stopReason: z.string(),
  usage: z
    .looseObject({
      inputTokens: AgentTokenCount,
      outputTokens: AgentTokenCount,
      totalTokens: AgentTokenCount.nullish(),
      cachedReadTokens: AgentTokenCount.nullish(),
      cachedWriteTokens: AgentTokenCount.nullish(),
      thoughtTokens: AgentTokenCount.nullish(),
    })
    .nullish(),
  _meta: z
    .looseObject({
      quota: z
        .looseObject({ model_usage: z.array(z.looseObject({ model: z.string(), token_count: TokenCount })) })
        .optional(),
    })
    .nullish(),
});
export type PromptResult = z.infer<typeof PromptResult>;

/** Fields of an error's `data` in which agents report the HTTP status. */
export const AcpFailureData = z.looseObject({
  status: z.number().nullish(),
  statusCode: z.number().nullish(),
});

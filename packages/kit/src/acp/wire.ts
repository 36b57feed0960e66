import { z } from "zod";

/** What an agent says in version 1 of the Agent Client Protocol. Loose: agents add fields, and the protocol grows. */

export const Initialised = z.looseObject({
  protocolVersion: z.number(),
  authMethods: z.array(z.looseObject({ id: z.string() })).default([]),
  agentCapabilities: z
    .looseObject({
      loadSession: z.boolean().default(false),
      sessionCapabilities: z.looseObject({ resume: z.unknown().optional() }).nullish(),
    })
    .default({ loadSession: false }),
});
export type Initialised = z.infer<typeof Initialised>;

const ConfigOption = z.looseObject({
  id: z.string(),
  category: z.string().nullish(),
  currentValue: z.unknown().optional(),
});

/** The answer to `session/new`, `session/load` and `session/resume`; only the first names the session. */
export const Entered = z.looseObject({
  sessionId: z.string().optional(),
  modes: z.looseObject({ currentModeId: z.string().optional() }).nullish(),
  models: z.looseObject({ currentModelId: z.string().optional() }).nullish(),
  configOptions: z.array(ConfigOption).nullish(),
});
export type Entered = z.infer<typeof Entered>;

const Text = z.looseObject({ type: z.literal("text"), text: z.string() });

const ToolContent = z.looseObject({
  type: z.string(),
  content: z.looseObject({ type: z.string(), text: z.string().optional() }).optional(),
  path: z.string().optional(),
  oldText: z.string().nullish(),
  newText: z.string().nullish(),
});

/** A call as it is announced, updated, or asked about. */
export const ToolCall = z.looseObject({
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
export type ToolCall = z.infer<typeof ToolCall>;

/** Where agents put an exit code, and whether a file was there before, in what they call raw output. */
export const RawOutput = z.looseObject({
  exitCode: z.number().nullish(),
  exit_code: z.number().nullish(),
  metadata: z.looseObject({ exit: z.number().nullish(), exists: z.boolean().optional() }).optional(),
});

const Chunk = z.looseObject({
  sessionUpdate: z.enum(["agent_message_chunk", "agent_thought_chunk"]),
  messageId: z.string().nullish(),
  content: Text,
});
export type Chunk = z.infer<typeof Chunk>;
const Call = ToolCall.extend({ sessionUpdate: z.enum(["tool_call", "tool_call_update"]) });
const Plan = z.looseObject({
  sessionUpdate: z.literal("plan"),
  entries: z.array(
    z.looseObject({ content: z.string(), status: z.enum(["pending", "in_progress", "completed"]).default("pending") }),
  ),
});
const Usage = z.looseObject({
  sessionUpdate: z.literal("usage_update"),
  cost: z.looseObject({ amount: z.number(), currency: z.string() }).nullish(),
});
const asides = [
  "user_message_chunk",
  "available_commands_update",
  "current_mode_update",
  "config_option_update",
  "session_info_update",
] as const;
const Aside = z.looseObject({ sessionUpdate: z.enum(asides) });

export const Updated = z.looseObject({
  update: z.discriminatedUnion("sessionUpdate", [Chunk, Call, Plan, Usage, Aside]),
});
export type Update = z.infer<typeof Updated>["update"];

export const PermissionAsked = z.looseObject({
  toolCall: ToolCall,
  options: z.array(z.looseObject({ optionId: z.string(), kind: z.string() })),
});

const TokenCount = z.looseObject({ input_tokens: z.int().default(0), output_tokens: z.int().default(0) });

/** The answer to `session/prompt`. */
export const Prompted = z.looseObject({
  stopReason: z.string(),
  usage: z
    .looseObject({
      inputTokens: z.int(),
      outputTokens: z.int(),
      totalTokens: z.int().nullish(),
      cachedReadTokens: z.int().nullish(),
      cachedWriteTokens: z.int().nullish(),
      thoughtTokens: z.int().nullish(),
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
export type Prompted = z.infer<typeof Prompted>;

/** What agents say of a failure beside its words. */
export const FailureData = z.looseObject({
  status: z.number().nullish(),
  statusCode: z.number().nullish(),
});

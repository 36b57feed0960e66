import { ToolOutcome } from "@fairlead/contract";
import { jsonLine } from "@fairlead/kit";
import { z } from "zod";

const Question = z.strictObject({
  text: z.string(),
  options: z.array(z.strictObject({ label: z.string() })),
  several: z.boolean(),
});

/** The tools of the scripted agent. `use` calls a tool that it was offered. */
export const ScriptedToolCall = z.discriminatedUnion("name", [
  z.strictObject({ name: z.literal("write"), input: z.strictObject({ path: z.string(), content: z.string() }) }),
  z.strictObject({ name: z.literal("run"), input: z.strictObject({ command: z.string() }) }),
  z.strictObject({ name: z.literal("use"), input: z.strictObject({ tool: z.string(), input: z.unknown() }) }),
  z.strictObject({
    name: z.literal("ask"),
    input: z.strictObject({
      questions: z.array(Question),
      answers: z.record(z.string(), z.string()).optional(),
    }),
  }),
]);
export type ScriptedToolCall = z.infer<typeof ScriptedToolCall>;

/** A way to allow that the agent offers. It remembers those that do not count `once`, for calls of the same tool. */
const Option = z.strictObject({ id: z.string(), label: z.string(), scope: z.enum(["once", "session", "always"]) });

/** One step of a script: the agent reasons, writes text, and then calls its tools in parallel. */
export const ScriptedStep = z.strictObject({
  delay: z.number().optional(),
  think: z.string().optional(),
  text: z.string().optional(),
  chunks: z.int().positive().optional(),
  chunkDelay: z.number().optional(),
  tools: z.array(ScriptedToolCall).optional(),
  error: z.strictObject({ status: z.int() }).optional(),
  /** Writes this many texts, `rate` of them per second or as fast as possible. */
  flood: z.strictObject({ lines: z.int().positive(), rate: z.number().positive().optional() }).optional(),
  hang: z.literal(true).optional(),
  /** Withdraws the requests of this step when this file exists in the workspace. Their calls do not run. */
  withdrawWhen: z.string().optional(),
  /** The options that the requests of this step offer. */
  options: z.array(Option).optional(),
});
export type ScriptedStep = z.infer<typeof ScriptedStep>;

/** The script for a message that contains none. */
export const demoScript: readonly ScriptedStep[] = [
  {
    think: "A greeting would be a good start.",
    text: "I will write a greeting, and then read it back.",
    chunks: 8,
    chunkDelay: 40,
  },
  { tools: [{ name: "write", input: { path: "greeting.txt", content: "Hello from the scripted agent.\n" } }] },
  { tools: [{ name: "run", input: { command: "cat greeting.txt" } }] },
  {
    text: "There it is. This was a script; a real agent would have written its own.",
    chunks: 12,
    chunkDelay: 40,
  },
];

const TextKind = z.enum(["text", "thinking"]);

/** The agent's output, one JSON object per line. */
export const ScriptedAgentOutput = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("hello"), conversation: z.string(), model: z.string() }),
  z.strictObject({ type: z.literal("delta"), what: TextKind, text: z.string() }),
  z.strictObject({ type: z.literal("spoken"), what: TextKind, text: z.string() }),
  z.strictObject({ type: z.literal("call"), call: z.string(), name: z.string(), input: z.unknown() }),
  z.strictObject({ type: z.literal("running"), call: z.string() }),
  z.strictObject({
    type: z.literal("result"),
    call: z.string(),
    ok: z.boolean(),
    output: z.string(),
    denied: z.boolean().optional(),
    interrupted: z.boolean().optional(),
    file: z.strictObject({ path: z.string(), created: z.boolean() }).optional(),
  }),
  z.strictObject({
    type: z.literal("may-i"),
    decision: z.string(),
    call: z.string(),
    name: z.string(),
    input: z.unknown(),
    options: z.array(Option).optional(),
  }),
  z.strictObject({ type: z.literal("use"), call: z.string(), tool: z.string(), input: z.unknown() }),
  z.strictObject({ type: z.literal("withdrawn"), decision: z.string() }),
  z.strictObject({ type: z.literal("steered"), text: z.string() }),
  z.strictObject({ type: z.literal("done"), outcome: z.enum(["completed", "interrupted"]) }),
  z.strictObject({
    type: z.literal("failed"),
    message: z.string(),
    status: z.int().optional(),
    unknownConversation: z.boolean().optional(),
  }),
]);
export type ScriptedAgentOutput = z.infer<typeof ScriptedAgentOutput>;

/** The agent's input, one JSON object per line. */
export const ScriptedAgentInput = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("message"), text: z.string() }),
  z.strictObject({ type: z.literal("steer"), text: z.string() }),
  z.strictObject({ type: z.literal("interrupt") }),
  z.strictObject({
    type: z.literal("answer"),
    decision: z.string(),
    allow: z.boolean(),
    input: z.unknown().optional(),
    option: z.string().optional(),
    message: z.string().optional(),
    stop: z.boolean().optional(),
  }),
  z.strictObject({ type: z.literal("tool-result"), call: z.string(), outcome: ToolOutcome, text: z.string() }),
]);
export type ScriptedAgentInput = z.infer<typeof ScriptedAgentInput>;

export const formatScriptedInput = (input: ScriptedAgentInput): string => jsonLine(input);

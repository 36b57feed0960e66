import type { ErrorCategory, EventOf, TokenCounts } from "@fairlead/contract";
import { AgentTokenCount, failureCategory, jsonLine, parseJsonLine, patternHead } from "@fairlead/kit";
import { z } from "zod";

/** The output of Amp 0.0.1769314944 with `--stream-json`. Loose: each release adds fields. */

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
  z.looseObject({ type: z.enum(["redacted_thinking", "image"]) }),
]);

const AmpUsage = z.looseObject({
  input_tokens: AgentTokenCount,
  cache_read_input_tokens: AgentTokenCount.nullish(),
  cache_creation_input_tokens: AgentTokenCount.nullish(),
  output_tokens: AgentTokenCount,
});
export type AmpUsage = z.infer<typeof AmpUsage>;

const System = z.looseObject({ type: z.literal("system"), subtype: z.literal("init"), session_id: z.string() });

const Assistant = z.looseObject({
  type: z.literal("assistant"),
  parent_tool_use_id: z.string().nullish(),
  message: z.looseObject({ content: z.array(Block), usage: AmpUsage.nullish() }),
});

const User = z.looseObject({
  type: z.literal("user"),
  message: z.looseObject({ content: z.array(Block) }),
});

const Result = z.looseObject({ type: z.literal("result"), is_error: z.boolean(), error: z.string().optional() });

export const AmpMessage = z.discriminatedUnion("type", [System, Assistant, User, Result]);
export type AmpMessage = z.infer<typeof AmpMessage>;
export type AmpMessageOf<Type extends AmpMessage["type"]> = Extract<AmpMessage, { type: Type }>;

/** Amp does not name its models. This is its name for the only mode in which it streams. */
export const ampModel = "smart";

export function parseAmpUsage(usage: AmpUsage): TokenCounts {
  return {
    uncached: usage.input_tokens,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite: usage.cache_creation_input_tokens ?? 0,
    output: usage.output_tokens,
    reasoning: 0,
  };
}

const CommandResult = z.looseObject({ output: z.string(), exitCode: z.int() });

/** Returns the result of a call. Amp does not report a failed command as an error, so the exit code decides. */
export function parseAmpToolResult(
  content: unknown,
  isError: boolean,
): { output: string; reason: "failed" | undefined } {
  const text = typeof content === "string" ? content : JSON.stringify(content ?? "");
  const commandResult = CommandResult.safeParse(parseJsonLine(text)).data;
  const failed = isError || (commandResult !== undefined && commandResult.exitCode !== 0);
  return { output: commandResult?.output ?? text, reason: failed ? "failed" : undefined };
}

/** The file that a call changes if it succeeds. Amp reports a file that it overwrites as created. */
export interface AmpFileChange {
  readonly path: string;
  readonly change: EventOf<"file.changed">["change"];
}

const FileToolInput = z.looseObject({ path: z.string() });

export function findAmpFileChange(tool: string, input: unknown): AmpFileChange | undefined {
  const change = tool === "create_file" ? "created" : tool === "edit_file" ? "modified" : undefined;
  const path = FileToolInput.safeParse(input).data?.path;
  return change === undefined || path === undefined ? undefined : { path, change };
}

const errorPatterns: readonly (readonly [RegExp, ErrorCategory])[] = [
  [/^connection error/i, "unreachable"],
  [/overloaded/i, "provider-failed"],
  [/require user approval/i, "not-allowed"],
];

/** Finds the category of an error by the HTTP status at its start, or else by its words. */
export function categorizeAmpError(error: string): ErrorCategory {
  const head = patternHead(error);
  const status = /^[45]\d\d(?= )/.exec(head)?.[0];
  const category = errorPatterns.find(([pattern]) => pattern.test(head))?.[1];
  return category ?? failureCategory(status === undefined ? null : Number(status), error);
}

/** Matches the stderr line for an unknown thread. */
export const ampUnknownThreadPattern = /^Thread \S+ does not exist|Invalid thread ID/;

// Amp resets its terminal when it exits, also without a terminal.
// oxlint-disable-next-line no-control-regex
export const stripTerminalCodes = (line: string): string => line.replaceAll(/\u001B\[[0-9;?=<>]*[a-z]/gi, "").trim();

/** Formats a message for Amp's stdin. */
export const formatAmpInput = (text: string): string =>
  jsonLine({ type: "user", message: { role: "user", content: [{ type: "text", text }] } });

import type { ErrorCategory, EventOf, Tokens } from "@fairlead/contract";
import { failureCategory, jsonLine, parseJsonLine } from "@fairlead/kit";
import { z } from "zod";

/** What Amp 0.0.1769314944 says on its standard output with `--stream-json`. Loose: it adds fields at every release. */

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

const Usage = z.looseObject({
  input_tokens: z.int(),
  cache_read_input_tokens: z.int().nullish(),
  cache_creation_input_tokens: z.int().nullish(),
  output_tokens: z.int(),
});
export type Usage = z.infer<typeof Usage>;

const System = z.looseObject({ type: z.literal("system"), subtype: z.literal("init"), session_id: z.string() });

const Assistant = z.looseObject({
  type: z.literal("assistant"),
  parent_tool_use_id: z.string().nullish(),
  message: z.looseObject({ content: z.array(Block), usage: Usage.nullish() }),
});

const User = z.looseObject({
  type: z.literal("user"),
  message: z.looseObject({ content: z.array(Block) }),
});

const Result = z.looseObject({ type: z.literal("result"), is_error: z.boolean(), error: z.string().optional() });

export const Spoken = z.discriminatedUnion("type", [System, Assistant, User, Result]);
export type Spoken = z.infer<typeof Spoken>;
export type SpokenOf<Type extends Spoken["type"]> = Extract<Spoken, { type: Type }>;

/** It does not name its models: this is its own word for the only way in which it streams. */
export const model = "smart";

export function tokensOf(usage: Usage): Tokens {
  return {
    uncached: usage.input_tokens,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite: usage.cache_creation_input_tokens ?? 0,
    output: usage.output_tokens,
    reasoning: 0,
  };
}

const Ran = z.looseObject({ output: z.string(), exitCode: z.int() });

/** What became of a call. That a command failed it does not count as an error; the exit code tells. */
export function endOf(content: unknown, isError: boolean): { output: string; reason: "failed" | undefined } {
  const text = typeof content === "string" ? content : JSON.stringify(content ?? "");
  const ran = Ran.safeParse(parseJsonLine(text)).data;
  const failed = isError || (ran !== undefined && ran.exitCode !== 0);
  return { output: ran?.output ?? text, reason: failed ? "failed" : undefined };
}

/** A file that a call will have changed if it succeeds. Of a file that it overwrites, too, it says that it created it. */
export interface FileChange {
  readonly path: string;
  readonly change: EventOf<"file.changed">["change"];
}

const Writing = z.looseObject({ path: z.string() });

export function fileOf(tool: string, input: unknown): FileChange | undefined {
  const change = tool === "create_file" ? "created" : tool === "edit_file" ? "modified" : undefined;
  const path = Writing.safeParse(input).data?.path;
  return change === undefined || path === undefined ? undefined : { path, change };
}

const phrases: readonly (readonly [RegExp, ErrorCategory])[] = [
  [/^connection error/i, "unreachable"],
  [/overloaded/i, "provider-failed"],
  [/require user approval/i, "not-allowed"],
];

/** An error begins with the HTTP status, or has words for it. */
export function categoryOf(error: string): ErrorCategory {
  const status = /^[45]\d\d(?= )/.exec(error)?.[0];
  const phrase = phrases.find(([pattern]) => pattern.test(error))?.[1];
  return phrase ?? failureCategory(status === undefined ? null : Number(status), error);
}

/** What it says on its standard error when it does not know a thread. */
export const unknownThread = /^Thread \S+ does not exist|Invalid thread ID/;

// It sets its terminal right when it leaves, whether there is one or not.
// oxlint-disable-next-line no-control-regex
export const plain = (line: string): string => line.replaceAll(/\u001B\[[0-9;?=<>]*[a-z]/gi, "").trim();

/** A message to it, as a line. */
export const say = (text: string): string =>
  jsonLine({ type: "user", message: { role: "user", content: [{ type: "text", text }] } });

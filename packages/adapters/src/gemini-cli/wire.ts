import type { ErrorCategory } from "@fairlead/contract";
import { AgentTokenCount, failureCategory, patternHead, type AcpCommandResult, type UsageReading } from "@fairlead/kit";
import { z } from "zod";

/** The output of Gemini CLI with `--output-format stream-json`, for versions without ACP. */

const TokenStats = z.looseObject({ input: AgentTokenCount, cached: AgentTokenCount, output_tokens: AgentTokenCount });

export const GeminiMessage = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("init"), session_id: z.string(), model: z.string() }),
  z.looseObject({ type: z.literal("message"), role: z.string(), content: z.string() }),
  z.looseObject({ type: z.literal("tool_use"), tool_id: z.string(), tool_name: z.string(), parameters: z.unknown() }),
  z.looseObject({
    type: z.literal("tool_result"),
    tool_id: z.string(),
    status: z.string(),
    output: z.string().default(""),
  }),
  z.looseObject({
    type: z.literal("result"),
    error: z.looseObject({ message: z.string() }).optional(),
    stats: z.looseObject({ models: z.record(z.string(), TokenStats).default({}) }).default({ models: {} }),
  }),
]);
export type GeminiMessage = z.infer<typeof GeminiMessage>;

/** Converts the token counts of a turn, one reading per model. */
export function toGeminiUsageReadings({ stats }: Extract<GeminiMessage, { type: "result" }>): UsageReading[] {
  return Object.entries(stats.models).map(([model, { input, cached, output_tokens: output }]) => ({
    kind: "delta",
    provider: "google",
    model,
    tokens: { uncached: input, cacheRead: cached, cacheWrite: 0, output, reasoning: 0 },
    cost: null,
  }));
}

/** Finds the category of a failure by the HTTP status in the message, or else by its words. */
export function categorizeGeminiError(message: string): ErrorCategory {
  const status = /"code": ?(\d{3})/.exec(patternHead(message))?.[1];
  return failureCategory(status === undefined ? null : Number(status), message);
}

/** The lines that Gemini CLI may append to the output of a command, last one first. */
const reportLines = [
  /^Process Group PGID: \d+$/,
  /^Background PIDs: /,
  /^Signal: \w+$/,
  /^Exit Code: (?<exit>-?\d+)$/,
  /^Error: /,
];

/** Parses the report of a command in ACP: its output between a heading and lines about its end, each of which is optional. */
export function parseGeminiCommandReport(report: string): AcpCommandResult | null {
  const heading = "Output: ";
  if (!report.startsWith(heading)) return null;
  let output = report.slice(heading.length);
  let exit = 0;
  for (const pattern of reportLines) {
    const lineEnd = output.lastIndexOf("\n");
    const match = lineEnd < 0 ? null : pattern.exec(output.slice(lineEnd + 1));
    if (match === null) continue;
    output = output.slice(0, lineEnd);
    exit = Number(match.groups?.["exit"] ?? exit);
  }
  return { output, exit };
}

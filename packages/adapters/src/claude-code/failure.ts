import type { ErrorCategory } from "@fairlead/contract";
import { failureCategory, patternHead, textOfContent } from "@fairlead/kit";
import type { ClaudeCodeMessageOf } from "./wire.ts";

/** Whether a message is an API error that Claude Code shows as the model's text. Each version marks it differently. */
export function isApiErrorMessage({
  is_api_error_message: isMarked,
  error,
  message,
}: ClaudeCodeMessageOf<"assistant">): boolean {
  const text = message.model === "<synthetic>" ? textOfContent(message.content) : "";
  return isMarked === true || error !== undefined || text.includes("API Error");
}

/**
 * Finds the category of an error. Older versions report the status only inside the message. `answering`: whether an answer
 * had started, if that is known.
 */
export function categorizeClaudeCodeError(message: string, status?: number | null, answering?: boolean): ErrorCategory {
  const head = patternHead(message);
  if (/no conversation found/i.test(head)) return "session-not-found";
  // Versions up to 2.0 report no status: "You've hit your session limit · resets 11pm (UTC)".
  if (status == null && /\blimit\b[^\n]{0,20}\bresets\b/i.test(head)) return "rate-limited";
  const category = failureCategory(status ?? findReportedStatus(head), message);
  if (answering === undefined || (category !== "unreachable" && category !== "connection-lost")) return category;
  // The message does not say when the connection broke. Behind a network gate, an unreachable service looks like a broken
  // connection; after the start of an answer, the connection was lost.
  return answering ? "connection-lost" : "unreachable";
}

/** Returns the HTTP status after the words "API Error:" in the same line. */
function findReportedStatus(message: string): number | null {
  const start = message.indexOf("API Error: ");
  const [line = ""] = start < 0 ? [] : message.slice(start).split("\n", 1);
  const status = /\b[45]\d\d\b/.exec(line)?.[0];
  return status === undefined ? null : Number(status);
}

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

/** Finds the category of an error. Older versions report the status only inside the message. */
export function categorizeClaudeCodeError(message: string, status?: number | null, answering = false): ErrorCategory {
  const head = patternHead(message);
  if (/no conversation found/i.test(head)) return "session-not-found";
  const category = failureCategory(status ?? findReportedStatus(head), message);
  // The message does not say when the connection broke. After the start of an answer, it was lost.
  return category === "unreachable" && answering ? "connection-lost" : category;
}

/** Returns the HTTP status after the words "API Error:" in the same line. */
function findReportedStatus(message: string): number | null {
  const start = message.indexOf("API Error: ");
  const [line = ""] = start < 0 ? [] : message.slice(start).split("\n", 1);
  const status = /\b[45]\d\d\b/.exec(line)?.[0];
  return status === undefined ? null : Number(status);
}

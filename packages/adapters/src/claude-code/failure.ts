import type { ErrorCategory } from "@fairlead/contract";
import { failureCategory, textOfContent } from "@fairlead/kit";
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
  if (/no conversation found/i.test(message)) return "session-not-found";
  const category = failureCategory(status ?? Number(/API Error: .*?\b([45]\d\d)\b/.exec(message)?.[1]), message);
  // The message does not say when the connection broke. After the start of an answer, it was lost.
  return category === "unreachable" && answering ? "connection-lost" : category;
}

import { FairleadError } from "@fairlead/contract";

/**
 * Serializes an error for the log: its type, code and stack. The message is included only for Fairlead's errors and
 * system errors. Other messages may quote content: a parser quotes the text, a validator the value.
 */
export function serializeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name: type, cause } = error;
  return {
    type,
    ...("code" in error && typeof error.code === "string" && { code: error.code }),
    message: safeMessage(error),
    stack: stackFrames(error),
    ...(cause instanceof Error && { cause: serializeError(cause) }),
  };
}

const redacted = "(redacted)";

function safeMessage(error: Error): string {
  const { message, cause } = error;
  if (isSystemError(error)) return message;
  if (!FairleadError.isInstance(error)) return redacted;
  // Some of Fairlead's errors repeat the message of their cause.
  if (!(cause instanceof Error) || cause.message === "") return message;
  return message.replaceAll(cause.message, () => safeMessage(cause));
}

/** Errors of the operating system or of SQLite. They name files and tables, never their content. */
function isSystemError(error: Error): boolean {
  return "syscall" in error || "errcode" in error;
}

/** Returns the frames only, because a stack begins with the message. */
function stackFrames({ stack = "", message }: Error): string {
  const frames = message === "" ? stack : stack.replace(message, () => "");
  return frames
    .split("\n")
    .filter((line) => line.startsWith("    at "))
    .join("\n");
}

import { FairleadError } from "@fairlead/contract";

/**
 * Serializes an error for the log: its type, code and stack. The message is included only for Fairlead's errors and
 * system errors. Other messages may quote content: a parser quotes the text, a validator the value.
 */
export function serializeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name: type, message, cause } = error;
  return {
    type,
    ...("code" in error && typeof error.code === "string" && { code: error.code }),
    message: isMessageSafe(error) ? message : "(redacted)",
    stack: stackFrames(error),
    ...(cause instanceof Error && { cause: serializeError(cause) }),
  };
}

function isMessageSafe(error: Error): boolean {
  if (isSystemError(error)) return true;
  if (!FairleadError.isInstance(error)) return false;
  const { message, cause } = error;
  // Some of Fairlead's errors repeat the message of their cause.
  return !(cause instanceof Error) || isMessageSafe(cause) || !message.includes(cause.message);
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

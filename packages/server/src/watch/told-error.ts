import { FairleadError } from "@fairlead/contract";

/**
 * An error as the log may have it: what it is, its code, and where it came from. Its message only when it is ours or the
 * system's, since others quote what they were given: a parser the text, a validator the value.
 */
export function toldError(thrown: unknown): Record<string, unknown> {
  if (!(thrown instanceof Error)) return { type: typeof thrown };
  const { name: type, message, cause } = thrown;
  return {
    type,
    ...("code" in thrown && typeof thrown.code === "string" && { code: thrown.code }),
    message: mayBeTold(thrown) ? message : "(withheld)",
    stack: framesOf(thrown),
    ...(cause instanceof Error && { cause: toldError(cause) }),
  };
}

function mayBeTold(error: Error): boolean {
  if (isOfTheSystem(error)) return true;
  if (!FairleadError.isInstance(error)) return false;
  const { message, cause } = error;
  // Some of ours only pass on what another one said.
  return !(cause instanceof Error) || mayBeTold(cause) || !message.includes(cause.message);
}

/** Of the operating system, or of the database: both name files and tables, and never what is in them. */
function isOfTheSystem(error: Error): boolean {
  return "syscall" in error || "errcode" in error;
}

/** The places alone: a stack begins with the message. */
function framesOf({ stack = "", message }: Error): string {
  const places = message === "" ? stack : stack.replace(message, () => "");
  return places
    .split("\n")
    .filter((line) => line.startsWith("    at "))
    .join("\n");
}

import { FairleadError, type ErrorCode } from "@fairlead/contract";
import { cliExitCodes } from "./exit-codes.ts";
import { sanitizeText } from "./render/sanitize-text.ts";
import { UsageError } from "./usage-error.ts";

/** An error as the command prints it, with the exit code. */
export interface FormattedError {
  readonly text: string;
  readonly exitCode: number;
}

const exitCodeByErrorCode: Partial<Record<ErrorCode, number>> = {
  "invalid-settings": cliExitCodes.usageError,
  "invalid-request": cliExitCodes.usageError,
  "unknown-agent": cliExitCodes.usageError,
  "session-not-found": cliExitCodes.notFound,
};

/** What to type next, for errors that have one obvious next step. */
const suggestions: Partial<Record<ErrorCode, string>> = {
  "unknown-agent": "fairlead doctor",
  "not-installed": "fairlead doctor",
  "not-supported": "fairlead doctor",
  "session-not-found": "fairlead ls --all",
  "session-ended": "fairlead ls --all",
  "no-open-turn": 'fairlead send ID "…"',
  "decision-not-open": "fairlead status",
  "taken-over": "fairlead attach ID",
  "adapter-failed": "fairlead stop ID",
  unavailable: "fairlead status",
  fenced: "fairlead ls",
};

export function formatError(error: unknown, debug: boolean): FormattedError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const displayMessage = FairleadError.is(error, "fenced") ? "Another process has taken this session over." : message;
  const suggestion = FairleadError.isInstance(error)
    ? suggestions[error.code]
    : error instanceof UsageError
      ? error.suggestion
      : null;
  const exitCode = FairleadError.isInstance(error) ? exitCodeByErrorCode[error.code] : undefined;
  // Many messages already contain the next step. A second one would compete with it.
  const lines = [
    `fairlead: ${displayMessage}`,
    ...(suggestion && !/\bfairlead [a-z]/.test(displayMessage) ? [`Try: ${suggestion}`] : []),
  ];
  if (debug && stack !== undefined) lines.push(stack);
  return {
    text: `${sanitizeText(lines.join("\n")).trimEnd()}\n`,
    exitCode: exitCode ?? (error instanceof UsageError ? cliExitCodes.usageError : cliExitCodes.failed),
  };
}

import { sanitizeText } from "@fairlead/api";
import { FairleadError, type ErrorCode } from "@fairlead/contract";
import { cliExitCodes } from "./exit-codes.ts";
import { NotFoundError } from "./not-found-error.ts";
import { UsageError } from "./usage-error.ts";

/** An error as the command prints it, with the exit code. */
export interface FormattedError {
  readonly text: string;
  readonly exitCode: number;
  /** What a command with `--json` prints instead of the text. */
  readonly json: { readonly error: Readonly<Record<string, string | number>> };
}

const exitCodeByErrorCode: Partial<Record<ErrorCode, number>> = {
  "invalid-settings": cliExitCodes.usageError,
  "invalid-request": cliExitCodes.usageError,
  "unknown-agent": cliExitCodes.usageError,
  "session-not-found": cliExitCodes.notFound,
  "limit-reached": cliExitCodes.limited,
};

/** What to type next, for errors of sessions that have one obvious next step. Messages about a fleet have their own. */
const suggestions: Partial<Record<ErrorCode, string>> = {
  "unknown-agent": "fairlead doctor",
  "not-installed": "fairlead doctor",
  "not-supported": "fairlead doctor",
  "session-not-found": "fairlead ls --all",
  "session-ended": 'fairlead resume ID "…"',
  "no-open-turn": 'fairlead send ID "…"',
  "decision-not-open": "fairlead status",
  "taken-over": "fairlead attach ID",
  "adapter-failed": "fairlead stop ID",
  unavailable: "fairlead status",
  fenced: "fairlead ls",
};

export interface FormatErrorOptions {
  /** Adds the stack. */
  readonly debug?: boolean;
  /** The session that was typed. Replaces the placeholder in commands that the message suggests. */
  readonly session?: string | undefined;
  /** The command that was typed. */
  readonly command?: string | undefined;
}

/** Formats an error as text and as JSON, with the exit code. */
export function formatError(
  error: unknown,
  { debug = false, session, command }: FormatErrorOptions = {},
): FormattedError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const displayMessage = FairleadError.is(error, "fenced") ? "Another process has taken this session over." : message;
  const suggestion = FairleadError.isInstance(error)
    ? (suggestLessHistory(error, command) ?? suggestByCode(error, command))
    : error instanceof UsageError || error instanceof NotFoundError
      ? error.suggestion
      : null;
  const exitCode =
    (FairleadError.isInstance(error) ? exitCodeByErrorCode[error.code] : undefined) ??
    (error instanceof UsageError
      ? cliExitCodes.usageError
      : error instanceof NotFoundError
        ? cliExitCodes.notFound
        : cliExitCodes.failed);
  // Many messages already contain the next step. A second one would compete with it.
  const hasNextStep = /\bfairlead [a-z]|^Cannot connect to http|\bTry again\b/.test(displayMessage);
  const shownSuggestion = suggestion && !hasNextStep ? suggestion : null;
  const lines = [`fairlead: ${displayMessage}`, ...(shownSuggestion === null ? [] : [`Try: ${shownSuggestion}`])];
  if (debug && stack !== undefined) lines.push(stack);
  const fill = (text: string): string => sanitizeText(fillSession(text, session)).trimEnd();
  return {
    text: `${fill(lines.join("\n"))}\n`,
    exitCode,
    json: {
      error: {
        code: codeOf(error),
        message: fill(displayMessage),
        ...(suggestion && { suggestion: fill(suggestion) }),
        exitCode,
      },
    },
  };
}

/** Suggests a command for a kind of errors, except the one that failed: it would fail again. */
function suggestByCode({ code }: FairleadError, command: string | undefined): string | null {
  const suggestion = suggestions[code];
  return isAboutFleet(command) || suggestion === `fairlead ${command}` ? null : (suggestion ?? null);
}

/** Whether a command runs a part of a fleet. The commands that are suggested are about sessions, and would show a daemon. */
function isAboutFleet(command: string | undefined): boolean {
  return command === "fleet" || command === "host" || command === "gateway";
}

/** Suggests to continue with less history, if the agent refuses its own and the message names what to accept instead. */
function suggestLessHistory({ message }: FairleadError, command: string | undefined): string | null {
  const outcome = /Accept the outcome "(rebuilt|fresh)"/.exec(message)?.[1];
  if (outcome === undefined) return null;
  const option = outcome === "rebuilt" ? "--rebuild" : "--fresh";
  return command === "fork" ? `fairlead fork ID ${option}` : `fairlead resume ID ${option} "…"`;
}

/** `usage` for a wrong command line, `not-found` for a token or a folder, and `internal` for a defect. */
function codeOf(error: unknown): string {
  if (FairleadError.isInstance(error)) return error.code;
  if (error instanceof NotFoundError) return "not-found";
  if (!(error instanceof UsageError)) return "internal";
  return FairleadError.isInstance(error.cause) ? error.cause.code : "usage";
}

/** Puts the session that was typed into commands with a placeholder, so that they can be copied. */
function fillSession(text: string, session: string | undefined): string {
  if (session === undefined || !/^[\w.-]+$/.test(session)) return text;
  return text.replace(/(\bfairlead [a-z-]+ )(?:SESSION|ID)\b/g, (_, command: string) => command + session);
}

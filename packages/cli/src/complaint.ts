import { FairleadError, type ErrorCode } from "@fairlead/contract";
import { exitCodes } from "./exit-codes.ts";
import { plain } from "./render/plain.ts";
import { WrongUse } from "./wrong-use.ts";

/** An error as people get to see it. */
export interface Complaint {
  readonly text: string;
  readonly exitCode: number;
}

const exitCodeOf: Partial<Record<ErrorCode, number>> = {
  "invalid-settings": exitCodes.wrongUse,
  "invalid-request": exitCodes.wrongUse,
  "unknown-agent": exitCodes.wrongUse,
  "session-not-found": exitCodes.notFound,
};

/** What to type next, where an error has an obvious way on. */
const next: Partial<Record<ErrorCode, string>> = {
  "unknown-agent": "fairlead doctor",
  "not-installed": "fairlead doctor",
  "not-supported": "fairlead doctor",
  "session-not-found": "fairlead ls",
  "session-ended": "fairlead ls --all",
  "no-open-turn": 'fairlead send ID "…"',
  "decision-not-open": "fairlead status",
  "taken-over": "fairlead attach ID",
  unavailable: "fairlead status",
  fenced: "fairlead ls",
};

export function complaintOf(error: unknown, debug: boolean): Complaint {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const told = FairleadError.is(error, "fenced") ? "Another process has taken this session over." : message;
  const hint = FairleadError.isInstance(error) ? next[error.code] : error instanceof WrongUse ? error.next : null;
  const exitCode = FairleadError.isInstance(error) ? exitCodeOf[error.code] : undefined;
  // Many messages name the next step themselves.
  const lines = [`fairlead: ${told}`, ...(hint && !told.includes(hint) ? [`Try: ${hint}`] : [])];
  if (debug && stack !== undefined) lines.push(stack);
  return {
    text: `${plain(lines.join("\n")).trimEnd()}\n`,
    exitCode: exitCode ?? (error instanceof WrongUse ? exitCodes.wrongUse : exitCodes.failed),
  };
}

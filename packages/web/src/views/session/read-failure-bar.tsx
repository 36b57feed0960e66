import { sanitizeText } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import type { ReactNode } from "react";
import { Button } from "../../components/button.tsx";
import { SessionsLink } from "../../components/sessions-link.tsx";
import { problemCommand } from "./problem-command.ts";
import type { ReadFailure } from "../../wire/retries.ts";

interface ReadFailureBarProps {
  readonly session: string;
  readonly failure: ReadFailure;
  /** Whether a part of the session is shown, which is then not current. */
  readonly isShown: boolean;
  readonly onRetry: () => void;
}

/** Says why the session cannot be read, what a person can type, and whether the page tries again. */
export function ReadFailureBar({ session, failure, isShown, onRetry }: ReadFailureBarProps): ReactNode {
  const { error, isFinal } = failure;
  const message = sanitizeText(error instanceof Error ? error.message : String(error));
  const command = problemCommand(error, session);
  return (
    <div
      role="alert"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-raised px-4 py-2"
    >
      <p className="min-w-0 [overflow-wrap:anywhere] text-fails">
        {message} {FairleadError.isInstance(error) && <span className="text-quiet">({error.code})</span>}
      </p>
      <p className="text-quiet">
        {isShown && "You see what was read before. "}
        {!isFinal && "The page tries again. "}
        {!message.includes(command) && (
          <>
            {isFinal ? "Type: " : "Or type: "}
            <code className="font-mono text-sm text-ink">{command}</code>
          </>
        )}
      </p>
      {FairleadError.is(error, "session-not-found") && <SessionsLink />}
      {!isFinal && <Button onClick={onRetry}>Try now</Button>}
    </div>
  );
}

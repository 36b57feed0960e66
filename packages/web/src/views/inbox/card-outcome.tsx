import type { ReactNode } from "react";
import { Button } from "../../components/button.tsx";
import { ProblemText } from "../../components/problem-text.tsx";
import { type CardStatus, describeUnused, nameAnswer } from "../../state/inbox/card-status.ts";

interface CardOutcomeProps {
  readonly status: Exclude<CardStatus, { type: "open" }>;
  readonly onWithdraw: () => void;
  /** Leaves a card that is closed. */
  readonly onLeave: (() => void) | null;
}

/** What became of a request. It takes the place of the buttons, so that nothing moves. */
export function CardOutcome({ status, onWithdraw, onLeave }: CardOutcomeProps): ReactNode {
  return (
    <div className="flex min-h-28 flex-col justify-center gap-2 px-3.5 py-3 max-sm:min-h-36" role="status">
      {status.type === "sending" && <p>{nameAnswer(status.answer)}: sending…</p>}
      {status.type === "queued" && (
        <>
          <p className="text-waits">{nameAnswer(status.answer)}: waits for the connection.</p>
          {status.mayHaveArrived ? (
            <p className="text-quiet">It may have arrived, so it cannot be withdrawn. Sent again, it counts once.</p>
          ) : (
            <Button onClick={onWithdraw}>Do not send it</Button>
          )}
        </>
      )}
      {status.type === "refused" && (
        <>
          <ProblemText error={new Error(status.reason)} />
          <Button onClick={onWithdraw}>Decide again</Button>
        </>
      )}
      {status.type === "late" && <p className="text-waits">{describeUnused(status.answer)}</p>}
      {status.type === "closed" && (
        <>
          {status.unused !== undefined && <p className="text-waits">{describeUnused(status.unused)}</p>}
          <p className="break-words">{status.outcome ?? "No longer open. Reading what happened…"}</p>
          {onLeave !== null && <Button onClick={onLeave}>Next</Button>}
        </>
      )}
    </div>
  );
}

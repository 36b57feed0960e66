import type { SessionView } from "@fairlead/api";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Button } from "../../components/button.tsx";
import { isRecorded } from "../../state/terminal/take-over.ts";

interface TakeOverPromptProps {
  readonly view: SessionView;
  /** Why the session cannot be taken over here; null if it can. */
  readonly refusal: string | null;
  readonly onTake: () => void;
}

/** Says what a take-over does before it is done: a link must not interrupt an agent. */
export function TakeOverPrompt({ view, refusal, onTake }: TakeOverPromptProps): ReactNode {
  const isWorking = view.state === "working" || view.state === "waiting" || view.state === "silent";
  return (
    <div className="mx-auto flex max-w-120 flex-col gap-4 px-4 pt-16">
      <h1 className="text-lg font-bold">
        Take over <bdi>{view.name ?? view.session}</bdi>
      </h1>
      <p>
        This opens the terminal of <bdi>{view.label}</bdi> on this conversation, and you type into it. When you hand
        back, the agent leads again and knows what was said.
      </p>
      {isWorking && <p className="text-waits">The agent works now. Taking over interrupts its turn.</p>}
      {refusal === null && !isRecorded(view) && (
        <p className="text-waits">What is said and done in this agent’s terminal is not recorded in the session.</p>
      )}
      {refusal !== null && <p className="text-fails">{refusal}</p>}
      <div className="flex gap-2">
        <Button kind="primary" disabled={refusal !== null} onClick={onTake}>
          Take over
        </Button>
        <Link
          href={`/s/${view.session}`}
          className="inline-flex min-h-8 items-center rounded-md border border-line bg-raised px-3 max-sm:min-h-11"
        >
          Back to the session
        </Link>
      </div>
    </div>
  );
}

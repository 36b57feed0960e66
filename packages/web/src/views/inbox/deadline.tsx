import { formatDuration } from "@fairlead/api";
import type { ReactNode } from "react";
import { useNow } from "../../app/use-now.ts";

interface DeadlineProps {
  readonly deadline: string | null;
  /** Whether a run of the foreman asks, which ends instead of going without the call. */
  readonly isOfRun: boolean;
}

/** Counts down to the time at which a request is denied without an answer. */
export function Deadline({ deadline, isOfRun }: DeadlineProps): ReactNode {
  const now = useNow();
  if (deadline === null) return "no deadline";
  const left = Date.parse(deadline) - now;
  if (left <= 0) return <span className="text-fails">the deadline has passed</span>;
  const text = left < 60_000 ? `${Math.ceil(left / 1000)} s` : formatDuration(left);
  return (
    <span className={left < 60_000 ? "text-fails" : "text-waits"} role="timer">
      {isOfRun ? "the run ends" : "denied"} in {text}
    </span>
  );
}

import { useState, type ReactNode } from "react";

interface NewRowsButtonProps {
  /** The number of the newest event of the session. */
  readonly head: number;
  /** Whether the last row is on the screen, so that without new events there is nothing to lead to. */
  readonly isEndOnScreen: boolean;
  readonly onClick: () => void;
}

/** Leads to the end of the session, and counts the events since the list was detached from it. */
export function NewRowsButton({ head, isEndOnScreen, onClick }: NewRowsButtonProps): ReactNode {
  const [since] = useState(head);
  const count = head - since;
  if (count === 0 && isEndOnScreen) return null;
  return (
    <button
      type="button"
      className="absolute right-4 bottom-3 min-h-8 rounded-full border border-line bg-raised px-3 shadow-md hover:border-quiet max-sm:min-h-11"
      onClick={onClick}
    >
      {count === 0 ? "To the end" : `${count.toLocaleString()} new`} ↓
    </button>
  );
}

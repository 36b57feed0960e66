import type { SessionView } from "@fairlead/api";
import { useEffect, useRef, type ReactNode } from "react";
import { Link } from "wouter";
import { Button } from "../../components/button.tsx";
import { isRecorded } from "../../state/terminal/take-over.ts";
import type { TerminalState } from "../../state/terminal/terminal-state.ts";

interface TerminalEndProps {
  readonly view: SessionView;
  readonly state: TerminalState;
  readonly onAgain: () => void;
}

/** Says why the terminal below is not connected any more, and what can be done. */
export function TerminalEnd({ view, state: { status }, onAgain }: TerminalEndProps): ReactNode {
  if (status.type !== "handed-back" && status.type !== "ended" && status.type !== "refused") return null;
  return (
    <div role="alert" className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-raised px-3 py-2">
      <p className="min-w-0 flex-1">
        {status.type === "refused" && <span className="text-fails">{status.reason}</span>}
        {status.type === "ended" && "The session has ended."}
        {status.type === "handed-back" &&
          (isRecorded(view)
            ? "The agent leads again. What was said and done here is in the session."
            : "The agent leads again and knows what was said here. It is not recorded in the session.")}
      </p>
      {status.type !== "ended" && <Button onClick={onAgain}>Take over again</Button>}
      <SessionLink session={view.session} />
    </div>
  );
}

/** Leads to the session. It has the focus when it appears: the terminal keeps Tab for its program. */
function SessionLink({ session }: { readonly session: string }): ReactNode {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => link.current?.focus(), []);
  return (
    <Link
      ref={link}
      href={`/s/${session}`}
      className="inline-flex min-h-8 items-center rounded-md border border-accent bg-accent px-3 font-medium text-surface max-sm:min-h-11"
    >
      Show the session
    </Link>
  );
}

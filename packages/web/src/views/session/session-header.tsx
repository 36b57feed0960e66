import { sanitizeText, type SessionView, toOneLine } from "@fairlead/api";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useFairlead, useScope } from "../../app/fairlead-context.ts";
import { Button } from "../../components/button.tsx";
import { ProblemText } from "../../components/problem-text.tsx";
import { StateBadge } from "../../components/state-badge.tsx";
import { SessionSetup } from "./session-setup.tsx";
import { SessionMenu } from "./session-menu.tsx";
import { TakeOverLink } from "./take-over-link.tsx";

const turnStates: readonly string[] = ["working", "waiting", "silent", "stuck", "input-closed"];

interface SessionHeaderProps {
  readonly view: SessionView;
  /** Whether the session no longer exists, so that every command would be refused. */
  readonly isGone: boolean;
  /** Opens the search in the session. */
  readonly onFind: () => void;
}

/** What the session is, and the commands on it. */
export function SessionHeader({ view, isGone, onFind }: SessionHeaderProps): ReactNode {
  const fairlead = useFairlead();
  const canDrive = useScope("drive");
  const { mutate: interrupt, isPending, error } = useMutation({ mutationFn: () => fairlead.interrupt(view.session) });
  const { name, title } = view;
  return (
    <header className="shrink-0 border-b border-line">
      <div className="flex min-h-10 items-center gap-2 px-4 pt-1 max-sm:gap-1 max-sm:px-3">
        <StateBadge view={view} />
        <h1 className="min-w-0 truncate font-bold">{name ?? toOneLine(title)}</h1>
        <span className="flex-1" />
        {canDrive && !isGone && turnStates.includes(view.state) && view.lead !== "human" && (
          <Button disabled={isPending} onClick={() => interrupt()}>
            Interrupt
          </Button>
        )}
        {!isGone && (
          <>
            <TakeOverLink view={view} />
            <Button aria-label="Find in session" title="Find in session" hint="/" onClick={onFind}>
              Find
            </Button>
            <SessionMenu view={view} />
          </>
        )}
      </div>
      <SessionSetup view={view} />
      {view.problem !== null && <p className="px-4 pb-2 text-fails">{sanitizeText(view.problem)}</p>}
      {error !== null && (
        <div className="px-4 pb-2">
          <ProblemText error={error} />
        </div>
      )}
    </header>
  );
}

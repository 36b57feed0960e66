import type { SessionView } from "@fairlead/api";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { useFairlead } from "../../app/fairlead-context.ts";
import { forgetTaken, rememberTaken } from "../../app/taken-sessions.ts";
import { Button } from "../../components/button.tsx";
import { ProblemText } from "../../components/problem-text.tsx";
import { withControl } from "../../state/terminal/terminal-keys.ts";
import { isLive } from "../../state/terminal/terminal-state.ts";
import { KeyRow } from "./key-row.tsx";
import { LostInputBar } from "./lost-input-bar.tsx";
import { TerminalBar } from "./terminal-bar.tsx";
import { TerminalEnd } from "./terminal-end.tsx";
import { useTerminal } from "./use-terminal.ts";

interface LeadTerminalProps {
  readonly view: SessionView;
  /** Called when the person no longer leads here. */
  readonly onEnd: () => void;
}

/** The agent's own terminal, with the person in it. */
export function LeadTerminal({ view, onEnd }: LeadTerminalProps): ReactNode {
  const { session } = view;
  const fairlead = useFairlead();
  const [isControl, setControl] = useState(false);
  const handBack = useMutation({ mutationFn: () => fairlead.handBack(session) });
  const { element, shown, state } = useTerminal(session, "lead", {
    onLeave: () => handBack.mutate(),
    changeInput: (keys) => {
      setControl(false);
      return isControl ? withControl(keys) : keys;
    },
  });
  const isOver = !isLive(state);
  useEffect(() => {
    if (isOver) forgetTaken(session);
    else rememberTaken(session);
  }, [isOver, session]);
  return (
    <div className="flex h-full flex-col">
      <TerminalBar view={view} role="lead" state={state}>
        {!isOver && (
          <Button kind="primary" hint="Ctrl \" disabled={handBack.isPending} onClick={() => handBack.mutate()}>
            Hand back
          </Button>
        )}
      </TerminalBar>
      {handBack.error !== null && <ProblemText error={handBack.error} />}
      {state.lost !== null && shown !== null && (
        <LostInputBar
          lost={state.lost}
          isOpen={state.status.type === "open"}
          onSend={() => {
            shown.link.sendUnsent();
            shown.screen.focus();
          }}
          onForget={() => {
            shown.link.forgetLost();
            shown.screen.focus();
          }}
        />
      )}
      <TerminalEnd view={view} state={state} onAgain={onEnd} />
      <div
        ref={element}
        data-testid="terminal"
        className={`min-h-0 flex-1 overflow-hidden pt-1 pl-1 ${state.status.type === "open" ? "" : "opacity-60"}`}
      />
      {shown !== null && !isOver && <KeyRow shown={shown} isControl={isControl} onControl={setControl} />}
    </div>
  );
}

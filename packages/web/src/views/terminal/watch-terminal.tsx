import type { SessionView } from "@fairlead/api";
import type { ReactNode } from "react";
import { Button } from "../../components/button.tsx";
import { TerminalBar } from "./terminal-bar.tsx";
import { TerminalEnd } from "./terminal-end.tsx";
import { useTerminal } from "./use-terminal.ts";

interface WatchTerminalProps {
  readonly view: SessionView;
  /** Why the person cannot lead here; null if they can. */
  readonly refusal: string | null;
  readonly onTake: () => void;
}

/** The terminal that another person leads, without a way to type into it. */
export function WatchTerminal({ view, refusal, onTake }: WatchTerminalProps): ReactNode {
  const { element, state } = useTerminal(view.session, "watch", { onLeave: () => {}, changeInput: (keys) => keys });
  return (
    <div className="flex h-full flex-col">
      <TerminalBar view={view} role="watch" state={state}>
        {refusal === null && <Button onClick={onTake}>Type here, too</Button>}
      </TerminalBar>
      <p className="shrink-0 border-b border-line px-3 py-1 text-quiet">
        A person leads this session elsewhere. {refusal ?? "You see what its terminal draws from now on."}
      </p>
      <TerminalEnd view={view} state={state} onAgain={onTake} />
      <div ref={element} data-testid="terminal" className="min-h-0 flex-1 overflow-auto pt-1 pl-1" />
    </div>
  );
}

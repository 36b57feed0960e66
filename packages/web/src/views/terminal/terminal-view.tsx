import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useFairlead, useGrant, useOverview } from "../../app/fairlead-context.ts";
import { isTaken } from "../../app/taken-sessions.ts";
import { ProblemText } from "../../components/problem-text.tsx";
import type { SessionView } from "@fairlead/api";
import { whyNotTakeOver } from "../../state/terminal/take-over.ts";
import { LeadTerminal } from "./lead-terminal.tsx";
import { TakeOverPrompt } from "./take-over-prompt.tsx";
import { WatchTerminal } from "./watch-terminal.tsx";

interface TerminalViewProps {
  /** An id, a name or a prefix of an id. */
  readonly session: string;
}

/** The agent's own terminal of a session: to lead in, to watch, or to take over. Loaded with the terminal's code. */
export function TerminalView({ session }: TerminalViewProps): ReactNode {
  const fairlead = useFairlead();
  const { overview } = useOverview();
  const asked = useQuery({ queryKey: ["session", session], queryFn: () => fairlead.session(session) });
  if (asked.error !== null) return <ProblemText error={asked.error} />;
  if (asked.data === undefined) return null;
  return <Terminal key={asked.data.session} view={overview.sessions.get(asked.data.session) ?? asked.data} />;
}

function Terminal({ view }: { readonly view: SessionView }): ReactNode {
  const { scopes, isKnown } = useGrant();
  const [isLeading, setLeading] = useState(() => isTaken(view.session) && view.lead === "human");
  const refusal = isKnown ? whyNotTakeOver(view, scopes) : "The service has not said yet what this page may do.";
  const take = (): void => setLeading(true);
  if (isLeading) return <LeadTerminal view={view} onEnd={() => setLeading(false)} />;
  if (view.lead === "human") return <WatchTerminal view={view} refusal={refusal} onTake={take} />;
  return <TakeOverPrompt view={view} refusal={refusal} onTake={take} />;
}

import type { DecisionView, SessionView } from "@fairlead/api";
import type { ReactNode } from "react";
import { Age } from "../../components/age.tsx";
import { summarizeCard } from "../../state/inbox/decision-card.ts";
import { sessionNameOf } from "../../state/sessions/session-name.ts";

interface CompactCardProps {
  readonly view: DecisionView;
  readonly session: SessionView | null;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

/** A request in two lines. It answers nothing: it only opens the card. */
export function CompactCard({ view, session, isOpen, onOpen }: CompactCardProps): ReactNode {
  return (
    <button
      type="button"
      data-decision={view.decision}
      data-status={isOpen ? "open" : "closed"}
      className="w-full rounded-lg border border-line bg-raised px-3.5 py-3 text-left hover:border-quiet max-sm:text-lg"
      onClick={onOpen}
    >
      <span className="block truncate">
        <bdi className="font-medium">{sessionNameOf(session, view.session)}</bdi>
        <span className="text-quiet">
          {" · "}
          <bdi>{session?.label ?? view.agent}</bdi> · {isOpen ? <Age since={view.since} /> : "no longer open"}
        </span>
      </span>
      <bdi className="block truncate">{summarizeCard(view)}</bdi>
    </button>
  );
}

import type { DecisionView } from "@fairlead/api";
import type { ReactNode } from "react";
import { useGrant, useOverview } from "../../app/fairlead-context.ts";
import { useAnswers } from "../../app/use-answers.ts";
import type { CardStatus } from "../../state/inbox/card-status.ts";
import { DecisionCard } from "./decision-card.tsx";
import { Disclosure } from "./disclosure.tsx";
import { JustBefore } from "./just-before.tsx";
import { TurnChanges } from "./turn-changes.tsx";
import { useOutcome } from "./use-outcome.ts";

interface InboxCardProps {
  readonly view: DecisionView;
  readonly isOpen: boolean;
  readonly onLeave?: (() => void) | null;
  /** Whether the card is among other facts of its session. Default: no. */
  readonly isEmbedded?: boolean;
}

/** The card of a request with what it needs from the service: for the inbox, and for the preview beside the list. */
export function InboxCard({ view, isOpen, onLeave = null, isEmbedded = false }: InboxCardProps): ReactNode {
  const { overview } = useOverview();
  const { scopes, isKnown } = useGrant();
  const { statusOf, findLate, give, withdraw } = useAnswers();
  const outcome = useOutcome(view, !isOpen);
  const unused = findLate(view);
  const status: CardStatus = isOpen ? statusOf(view) : { type: "closed", outcome, ...(unused !== null && { unused }) };
  const session = overview.sessions.get(view.session) ?? null;
  return (
    <DecisionCard
      view={view}
      session={session}
      status={status}
      canAnswer={isKnown ? scopes.includes("approve") : null}
      onAnswer={(answer) => give(view, answer)}
      onWithdraw={() => withdraw(view)}
      onLeave={onLeave}
      isEmbedded={isEmbedded}
    >
      {session !== null && (
        <>
          <Disclosure label="Changes of this turn">
            {() => <TurnChanges session={view.session} turn={session.turns} />}
          </Disclosure>
          <Disclosure label="Just before">{() => <JustBefore session={view.session} last={session.last} />}</Disclosure>
        </>
      )}
    </DecisionCard>
  );
}

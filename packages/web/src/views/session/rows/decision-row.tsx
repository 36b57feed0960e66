import { sanitizeText } from "@fairlead/api";
import type { ReactNode } from "react";
import { useParams } from "wouter";
import { useOverview } from "../../../app/fairlead-context.ts";
import { useAnswers } from "../../../app/use-answers.ts";
import { describeUnused } from "../../../state/inbox/card-status.ts";
import { inboxKey, listWaiting } from "../../../state/inbox/inbox-list.ts";
import { decisionKey } from "../../../state/overview.ts";
import { toResolutionWords } from "../../../state/timeline/resolution-words.ts";
import type { DecisionRow as Row } from "../../../state/timeline/timeline-row.ts";
import { InboxCard } from "../../inbox/inbox-card.tsx";

const signs = {
  allowed: ["✓", "text-good"],
  answered: ["✓", "text-good"],
  denied: ["⊘", "text-fails"],
  canceled: ["■", "text-quiet"],
  "timed-out": ["■", "text-waits"],
} as const;

/** A decision: an open one can be answered here, and another one says who answered what. */
export function DecisionRow({ row }: { readonly row: Row }): ReactNode {
  return row.resolution === null ? <OpenDecision row={row} /> : <DecisionLine row={row} />;
}

function OpenDecision({ row }: { readonly row: Row }): ReactNode {
  const { session = "" } = useParams();
  const { overview } = useOverview();
  const view = overview.decisions.get(decisionKey({ session, decision: row.request.decision }));
  // Others are open only until the policy or the permission mode answers them.
  if (view === undefined || listWaiting([view], overview.sessions).length === 0) return <DecisionLine row={row} />;
  return (
    <div className="px-4 py-2">
      <InboxCard key={inboxKey(view)} view={view} isOpen isEmbedded />
    </div>
  );
}

function DecisionLine({ row: { request, resolution } }: { readonly row: Row }): ReactNode {
  const { session = "" } = useParams();
  const unused = useAnswers().findLate({ session, decision: request.decision, digest: request.digest });
  const [sign, color] = resolution === null ? (["?", "text-waits"] as const) : signs[resolution.outcome];
  const words = resolution === null ? null : toResolutionWords(resolution);
  return (
    <div className="flex items-baseline gap-2 px-4 py-0.5 pl-9 text-sm">
      <span className={color} aria-hidden="true">
        {sign}
      </span>
      <p className="min-w-0 [overflow-wrap:anywhere] text-quiet">
        <span className={color}>{words?.outcome ?? "waits for an answer"}</span> <bdi>{words?.details}</bdi>
        {/* The row of the call has the same words. */}
        {request.call === undefined && <bdi> · {sanitizeText(request.title)}</bdi>}
        {unused !== null && <span className="block text-waits">{describeUnused(unused)}</span>}
      </p>
    </div>
  );
}

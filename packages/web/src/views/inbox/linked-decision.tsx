import type { DecisionView } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Link, Redirect, useLocation } from "wouter";
import { useFairlead, useOverview } from "../../app/fairlead-context.ts";
import { Loading } from "../../components/loading.tsx";
import { ProblemText } from "../../components/problem-text.tsx";
import { findPastDecision } from "../../state/inbox/find-past-decision.ts";
import { inboxKey } from "../../state/inbox/inbox-list.ts";
import { inboxPath, readInboxPath } from "../../state/inbox/inbox-path.ts";
import { decisionKey } from "../../state/overview.ts";
import { InboxCard } from "./inbox-card.tsx";

/** The card that a link names, open or closed. */
export function LinkedDecision(): ReactNode {
  const [path] = useLocation();
  const named = readInboxPath(path);
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-3 p-3.5">
        {named === null ? <p role="alert">This link names no request.</p> : <NamedDecision key={path} named={named} />}
        <Link href="/inbox" className="flex min-h-11 items-center text-accent hover:underline">
          All requests
        </Link>
      </div>
    </div>
  );
}

function NamedDecision({ named }: { readonly named: Pick<DecisionView, "session" | "decision"> }): ReactNode {
  const { overview } = useOverview();
  const open = overview.decisions.get(decisionKey(named));
  const [shown, setShown] = useState<DecisionView | null>(null);
  // A card that was open stays with its outcome. Another request with the same id is another card.
  if (open !== undefined && open !== shown) setShown(open);
  if (open !== undefined) return <InboxCard key={inboxKey(open)} view={open} isOpen />;
  if (shown !== null) return <InboxCard key={inboxKey(shown)} view={shown} isOpen={false} />;
  return overview.isComplete ? <PastDecision named={named} /> : null;
}

function PastDecision({ named }: { readonly named: Pick<DecisionView, "session" | "decision"> }): ReactNode {
  const fairlead = useFairlead();
  const { session, decision } = named;
  const { data, error } = useQuery({
    queryKey: ["past decision", session, decision],
    queryFn: async () => {
      const view = await fairlead.session(session);
      // The address may have a name, or the beginning of an id. The overview, which knows open requests, has ids.
      if (view.session !== session) return { renamed: inboxPath({ session: view.session, decision }) };
      return await findPastDecision(fairlead, session, decision, view.last);
    },
  });
  if (FairleadError.isInstance(error) && error.code === "session-not-found")
    return <p role="status">The session {session} does not exist, or was forgotten. Nothing can be answered.</p>;
  if (error !== null) return <ProblemText error={error} />;
  if (data === undefined) return <Loading what="the request" />;
  if ("renamed" in data) return <Redirect to={data.renamed} replace />;
  if (data.view === null) return <p role="status">The session {session} has no such request.</p>;
  return <InboxCard view={data.view} isOpen={false} />;
}

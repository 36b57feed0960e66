import { useState, type ReactNode } from "react";
import { Link, useParams } from "wouter";
import { Loading } from "../../components/loading.tsx";
import { ProblemText } from "../../components/problem-text.tsx";
import { SessionsLink } from "../../components/sessions-link.tsx";
import { useSessionView } from "../session/use-session-view.ts";
import { Replayer } from "./replayer.tsx";

/** A past session, played as it happened. */
export function ReplayView(): ReactNode {
  const { session = "" } = useParams();
  return <OneReplay key={session} session={session} />;
}

function OneReplay({ session }: { readonly session: string }): ReactNode {
  const { view, gone, error } = useSessionView(session);
  // The session may continue. The replay ends at the event that was the last one when it was opened.
  const [total, setTotal] = useState<number | null>(null);
  if (view === undefined) {
    if (error === null) return <Loading what="the session" />;
    return (
      <div className="flex flex-col gap-2 p-6">
        <ProblemText error={error} />
        {gone !== null && <SessionsLink />}
      </div>
    );
  }
  if (total === null) {
    setTotal(view.last);
    return null;
  }
  return (
    <div className="flex h-full flex-col">
      <div className="flex min-h-10 shrink-0 items-center gap-3 border-b border-line px-3">
        <h1 className="min-w-0 truncate">
          <span className="text-quiet">Replay of </span>
          <Link href={`/s/${view.session}`} className="font-medium hover:underline">
            <bdi>{view.name ?? view.session}</bdi>
          </Link>
        </h1>
      </div>
      {total === 0 ? (
        <ProblemText error="The session has no events." />
      ) : (
        <Replayer session={view.session} total={total} />
      )}
    </div>
  );
}

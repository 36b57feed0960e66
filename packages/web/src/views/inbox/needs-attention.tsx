import { useMemo, type ReactNode } from "react";
import { Link } from "wouter";
import { useOverview } from "../../app/fairlead-context.ts";
import { Age } from "../../components/age.tsx";
import { StateBadge } from "../../components/state-badge.tsx";
import { findUnattended, needOf } from "../../state/sessions/needs.ts";
import { sessionNameOf } from "../../state/sessions/session-name.ts";

/** Sessions that need a person and ask nothing: those that are stuck, lost or damaged, and those that failed. */
export function NeedsAttention(): ReactNode {
  const { sessions } = useOverview().overview;
  const views = useMemo(() => {
    const unattended = findUnattended(sessions.values());
    return [...sessions.values()]
      .filter((view) => needOf(view, unattended) === "needs-you" && view.state !== "waiting")
      .toSorted((a, b) => (a.since < b.since ? -1 : 1));
  }, [sessions]);
  if (views.length === 0) return null;
  return (
    <section aria-label="Sessions to look at" className="flex flex-col gap-2">
      <h2 className="mt-2 text-base text-quiet">Ask nothing, and need to be looked at</h2>
      {views.map((view) => (
        <Link
          key={view.session}
          href={`/s/${view.session}`}
          className="flex min-h-11 items-center gap-2 rounded-lg border border-line bg-raised px-3.5 py-2 hover:border-quiet"
        >
          <bdi className="min-w-0 truncate font-medium">{sessionNameOf(view, view.session)}</bdi>
          <span className="text-quiet">
            · <bdi>{view.label}</bdi> ·
          </span>
          <StateBadge view={view} />
          <span className="flex-1 text-right text-quiet">
            <Age since={view.since} />
          </span>
        </Link>
      ))}
    </section>
  );
}

import { escapeLine, sanitizeText, type SessionView, toOneLine } from "@fairlead/api";
import { useRef, type ReactNode } from "react";
import { useLocation } from "wouter";
import { lazyPart } from "../../app/boundary/lazy-part.ts";
import { PartBoundary } from "../../app/boundary/part-boundary.tsx";
import { Age } from "../../components/age.tsx";
import { Button } from "../../components/button.tsx";
import { StateBadge } from "../../components/state-badge.tsx";
import { folderOf } from "../../state/sessions/session-filter.ts";
import { sessionNameOf } from "../../state/sessions/session-name.ts";

const PreviewRequests = lazyPart(async () => (await import("./preview-requests.tsx")).PreviewRequests);

/** What a person needs to know of the selected session before opening it. Its requests can be answered here. */
export function Preview({ view }: { readonly view: SessionView }): ReactNode {
  const [, navigate] = useLocation();
  // Stays once it was true: the outcome of the last request is shown in its place.
  const hasAsked = useRef(false);
  hasAsked.current ||= view.waitingFor.length > 0;
  const { session, name, title, label, model, turns, startedAt, problem } = view;
  return (
    <aside aria-label="Preview" className="flex flex-col gap-3 overflow-y-auto p-4 max-lg:hidden">
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <bdi className="font-medium break-words">{name ?? sessionNameOf(view, session)}</bdi>{" "}
          <span className="text-quiet">
            · <bdi>{label}</bdi>
            {model !== null && (
              <>
                {" · "}
                <bdi>{toOneLine(model)}</bdi>
              </>
            )}{" "}
            · {turns === 1 ? "1 turn" : `${turns} turns`} · <Age since={startedAt} />
          </span>
        </div>
        <Button hint="↵" onClick={() => navigate(`/s/${session}`)}>
          Open
        </Button>
      </div>
      {view.state !== "waiting" && <StateBadge view={view} />}
      {hasAsked.current && (
        <PartBoundary name="A part of the preview" place={session}>
          <PreviewRequests session={session} />
        </PartBoundary>
      )}
      {name !== null && <p className="line-clamp-6 break-words whitespace-pre-wrap">{sanitizeText(title)}</p>}
      <p className="text-sm break-all text-quiet">{escapeLine(folderOf(view))}</p>
      {problem !== null && <p className="text-fails">{sanitizeText(problem)}</p>}
    </aside>
  );
}

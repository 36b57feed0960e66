import { useMemo, useState, type ReactNode } from "react";
import { useParams } from "wouter";
import { PartBoundary } from "../../app/boundary/part-boundary.tsx";
import { useKeys } from "../../app/keys.ts";
import { useNow } from "../../app/use-now.ts";
import { useMedia } from "../../components/use-media.ts";
import { turnAt } from "../../state/outline.ts";
import { patchVersionOf } from "../../state/patch-version.ts";
import { layOutStrip } from "../../state/time-strip.ts";
import { Composer } from "./composer.tsx";
import { Disclosures } from "./disclosures.ts";
import { FindBar } from "./find/find-bar.tsx";
import { Outline } from "./outline.tsx";
import { Panel } from "./panel/panel.tsx";
import { ReadFailureBar } from "./read-failure-bar.tsx";
import { SessionHeader } from "./session-header.tsx";
import { type SessionTab, SessionTabs } from "./session-tabs.tsx";
import { TimeStrip } from "./time-strip.tsx";
import { TimelineList } from "./timeline-list.tsx";
import { useLiveSession } from "./use-live-session.ts";
import { useSessionView } from "./use-session-view.ts";
import { useTurns } from "./use-turns.ts";

const panelTabs: readonly SessionTab[] = ["changes", "files", "plan", "raw"];
const allTabs: readonly SessionTab[] = ["timeline", "turns", ...panelTabs];

/** One session: what happened in it, what it changed, and what to tell it. */
export function SessionDetails(): ReactNode {
  const { session = "" } = useParams();
  // Another session gets a new element, so that nothing of the one before is left.
  return <OneSession key={session} session={session} />;
}

function OneSession({ session }: { readonly session: string }): ReactNode {
  const [live, state] = useLiveSession(session);
  const { view, gone } = useSessionView(session);
  const { turns, hasEarlier, readEarlier } = useTurns(session, view, !state.isLoading && gone === null);
  const isWide = useMedia("(min-width: 1024px)");
  const [number, setNumber] = useState(0);
  const [chosenTab, setTab] = useState<SessionTab>("timeline");
  const [disclosures] = useState(() => new Map<string, boolean>());
  const [isFinding, setIsFinding] = useState(false);
  const [soughtText, setSoughtText] = useState("");
  useKeys(useMemo(() => ({ "/": () => setIsFinding(true) }), []));
  const now = useNow();
  const strip = useMemo(() => layOutStrip(turns, now), [turns, now]);
  const turn = turnAt(turns, number)?.number ?? (view !== undefined && view.turns > 0 ? view.turns : undefined);
  const failure = gone ?? state.failure;
  const tab = isWide && !panelTabs.includes(chosenTab) ? "changes" : chosenTab;
  const jump = (sequence: number): void => {
    void live.jumpTo(sequence);
    if (!isWide) setTab("timeline");
  };
  // A patch is computed by git, so it is asked for when a turn ends and not for each event.
  const version = view === undefined ? "" : patchVersionOf(view);
  const outline = (
    <Outline turns={turns} hasEarlier={hasEarlier} current={turn} onJump={jump} onEarlier={readEarlier} />
  );
  // Changes and files cost the service a read of the workspace, so they are asked for once the timeline is there.
  const panel = state.isLoading ? null : (
    <PartBoundary name="This part" place={`${session} ${tab}`}>
      <Panel session={session} tab={tab} state={state} turn={turn} number={number} version={version} />
    </PartBoundary>
  );
  const isTimelineShown = isWide || tab === "timeline";
  return (
    <Disclosures value={disclosures}>
      <div className="flex h-full min-h-0">
        {isWide && <div className="w-48 shrink-0 border-r border-line">{outline}</div>}
        <div className="flex min-w-0 flex-1 flex-col">
          {view !== undefined && <SessionHeader view={view} isGone={gone !== null} onFind={() => setIsFinding(true)} />}
          {failure !== null && (
            <ReadFailureBar
              session={session}
              failure={failure}
              isShown={!state.isLoading}
              onRetry={() => live.retryNow()}
            />
          )}
          {isFinding && (
            <FindBar
              session={session}
              onMatch={jump}
              onText={setSoughtText}
              onClose={() => {
                setIsFinding(false);
                setSoughtText("");
              }}
            />
          )}
          {!isWide && <SessionTabs tabs={allTabs} tab={tab} onTab={setTab} />}
          {/* Stays mounted on a narrow screen, so that the place in it is kept. */}
          <div className={isTimelineShown ? "flex min-h-0 flex-1 flex-col" : "hidden"}>
            <PartBoundary name="The timeline" place={session}>
              <TimeStrip parts={strip} current={turn} onJump={jump} />
              <TimelineList live={live} state={state} soughtText={soughtText} onNumber={setNumber} />
            </PartBoundary>
            {view !== undefined && <Composer view={view} isGone={gone !== null} />}
          </div>
          {!isTimelineShown && <div className="min-h-0 flex-1">{tab === "turns" ? outline : panel}</div>}
        </div>
        {isWide && (
          <aside aria-label="Details" className="flex w-1/3 max-w-140 min-w-80 shrink-0 flex-col border-l border-line">
            <SessionTabs tabs={panelTabs} tab={tab} onTab={setTab} />
            <div className="min-h-0 flex-1">{panel}</div>
          </aside>
        )}
      </div>
    </Disclosures>
  );
}

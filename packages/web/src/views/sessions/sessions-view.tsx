import { useMemo, useState, type ReactNode } from "react";
import { useSearchParams } from "wouter";
import { useOverview } from "../../app/fairlead-context.ts";
import { Button } from "../../components/button.tsx";
import { Loading } from "../../components/loading.tsx";
import { useMedia } from "../../components/use-media.ts";
import { countSessions } from "../../state/sessions/session-counts.ts";
import { readFilter, writeFilter, type SessionFilter } from "../../state/sessions/session-filter.ts";
import { keepSelected } from "../../state/sessions/selected-session.ts";
import { listSessionRows } from "../../state/sessions/session-list.ts";
import { FilterBar } from "./filter-bar.tsx";
import { NoSessions } from "./no-sessions.tsx";
import { Preview } from "./preview.tsx";
import { SessionList } from "./session-list.tsx";
import { useOlderSessions } from "./use-older-sessions.ts";

/** All sessions, grouped by what they need, with a preview of the selected one. */
export function SessionsView(): ReactNode {
  const { overview } = useOverview();
  // Its code is loaded on demand, so a narrow window must not have it.
  const hasPreview = useMedia("(min-width: 1024px)");
  const [query, setQuery] = useSearchParams();
  const older = useOlderSessions();
  const filter = useMemo(() => readFilter(query), [query]);
  const sessions = useMemo(
    // What the overview says of a session is newer than the page that has it, too.
    () => new Map([...older.sessions.map((view) => [view.session, view] as const), ...overview.sessions]),
    [older.sessions, overview.sessions],
  );
  const rows = useMemo(() => listSessionRows(sessions.values(), filter), [sessions, filter]);
  const counts = useMemo(() => countSessions({ sessions, counts: overview.counts }), [sessions, overview.counts]);
  const [selected, setSelected] = useState<string | null>(null);
  const filterText = writeFilter(filter).toString();
  const [lastFilter, setLastFilter] = useState(filterText);
  const kept = keepSelected(selected, rows, filterText !== lastFilter);
  // React renders again at once, before anything is shown: the selection depends on what was listed before.
  if (filterText !== lastFilter) setLastFilter(filterText);
  if (kept !== selected) setSelected(kept);
  const current = kept !== null ? sessions.get(kept) : undefined;
  // Replaces the address, so that each typed letter is not a step of the history.
  const setFilter = (next: SessionFilter): void => setQuery(writeFilter(next), { replace: true });
  if (!overview.isComplete) return <Loading what="sessions" />;
  if (counts.all === 0) return <NoSessions />;
  const showsEnded = filter.need === null || filter.need === "ended";
  return (
    <div className="flex h-full flex-col">
      <FilterBar filter={filter} counts={counts} onChange={setFilter} />
      <div className="grid min-h-0 flex-1 lg:grid-cols-[1fr_380px]">
        <SessionList rows={rows} selected={current?.session ?? null} onSelect={setSelected}>
          {showsEnded && counts.olderEnded > 0 && older.loadMore !== undefined && (
            <div className="p-3">
              <Button onClick={older.loadMore}>Show older sessions ({counts.olderEnded} more)</Button>
            </div>
          )}
        </SessionList>
        {hasPreview && current !== undefined && <Preview key={current.session} view={current} />}
      </div>
    </div>
  );
}

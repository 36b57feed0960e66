import { escapeLine, type SessionView, toOneLine } from "@fairlead/api";
import { memo, useRef, type ReactNode } from "react";
import { Link } from "wouter";
import { Age } from "../../components/age.tsx";
import { ChangedLines } from "../../components/changed-lines.tsx";
import { FolderPath } from "../../components/folder-path.tsx";
import { StateBadge } from "../../components/state-badge.tsx";
import { needOf, waitingSince } from "../../state/sessions/needs.ts";
import { folderOf } from "../../state/sessions/session-filter.ts";
import { sessionNameOf } from "../../state/sessions/session-name.ts";
import { RecentActivity } from "./recent-activity.tsx";
import { shortenFolder } from "../../state/shorten-folder.ts";

interface SessionLineProps {
  readonly view: SessionView;
  readonly depth: number;
  readonly isSelected: boolean;
  readonly onSelect: (session: string) => void;
}

/** Whether the window has the preview beside the list. */
function hasPreview(): boolean {
  return matchMedia("(min-width: 1024px)").matches;
}

/**
 * One session in one line. The first click selects it for the preview, and the second one opens it; without a preview, the
 * first one does. Memoized, because a message of the overview changes few of the sessions.
 */
export const SessionLine = memo(function SessionLine({
  view,
  depth,
  isSelected,
  onSelect,
}: SessionLineProps): ReactNode {
  const select = (): void => onSelect(view.session);
  const wasSelected = useRef(isSelected);
  return (
    <Link
      href={`/s/${view.session}`}
      aria-current={isSelected || undefined}
      data-session={view.session}
      data-page-keys
      onFocus={select}
      onClick={(event) => {
        // A row that was selected by the focus of this very click is not opened by it.
        if (event.detail > 0 && hasPreview() && !wasSelected.current) event.preventDefault();
      }}
      onPointerDown={() => (wasSelected.current = isSelected)}
      className={`grid h-full grid-cols-[134px_1fr_50px] items-center gap-x-2 border-b border-line/60 px-3 whitespace-nowrap max-sm:grid-cols-[auto_1fr_auto] max-sm:content-center lg:grid-cols-[134px_1fr_116px_120px_92px_50px] xl:grid-cols-[134px_1fr_116px_120px_64px_92px_50px] ${isSelected ? "bg-raised shadow-[inset_2px_0_var(--accent)]" : ""}`}
    >
      <StateBadge view={view} />
      <span
        className="truncate max-sm:col-span-2 max-sm:col-start-1 max-sm:row-start-1"
        style={{ paddingLeft: Math.min(depth, 8) * 16 }}
      >
        <bdi className="font-medium max-sm:text-lg">{sessionNameOf(view, view.session)}</bdi>{" "}
        <bdi className="text-quiet max-sm:hidden">{toOneLine(describe(view))}</bdi>
      </span>
      <bdi className="col-span-2 truncate text-quiet sm:hidden">{toOneLine(describe(view))}</bdi>
      <span className="col-span-3 flex gap-1 text-quiet sm:hidden">
        <bdi className="shrink-0">{view.label}</bdi> ·
        <FolderPath folder={shortenFolder(escapeLine(folderOf(view)))} title={escapeLine(folderOf(view))} />
      </span>
      <span className="truncate text-quiet max-lg:hidden">
        <bdi>{view.label}</bdi>
      </span>
      <span className="min-w-0 text-quiet max-lg:hidden">
        <FolderPath folder={shortenFolder(escapeLine(folderOf(view)))} title={escapeLine(folderOf(view))} />
      </span>
      <span className="max-xl:hidden">
        <RecentActivity recent={view.recentEvents} />
      </span>
      <span className="truncate text-right max-lg:hidden">
        <ChangedLines changes={view.changes} />
      </span>
      <span className="text-right text-quiet max-sm:col-start-3 max-sm:row-start-1">
        <Age since={needOf(view) === "needs-you" ? waitingSince(view) : view.lastAt} />
      </span>
    </Link>
  );
});

/** What the session waits for or does now, in one line. */
function describe({ waitingFor, problem, activity, name, title }: SessionView): string {
  const now = activity === null ? null : `${activityWords[activity.kind] ?? ""} ${activity.text}`.trim();
  return waitingFor[0]?.title ?? problem ?? now ?? (name === null ? "" : title);
}

/** What precedes the text of an activity. A text of the agent needs no word. */
const activityWords: Readonly<Record<string, string>> = {
  run: "run",
  edit: "edit",
  read: "read",
  search: "search",
  fetch: "fetch",
  reasoning: "thinking:",
};

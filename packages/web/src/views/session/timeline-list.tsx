import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { followDistance } from "../../state/timeline/follow.ts";
import { isEndAnswered } from "../../state/timeline/end-answered.ts";
import { isAtHead } from "../../state/timeline/event-window.ts";
import { findRow } from "../../state/timeline/find-row.ts";
import { rowAt } from "../../state/timeline/row-list.ts";
import { estimateRowHeight } from "../../state/timeline/row-height.ts";
import type { LiveSession, LiveSessionState } from "../../wire/live-session.ts";
import { Loading } from "../../components/loading.tsx";
import { useMarkedText } from "./find/use-marked-text.ts";
import { NewRowsButton } from "./new-rows-button.tsx";
import { RowView } from "./rows/row-view.tsx";
import { useEndInView } from "./use-end-in-view.ts";
import { useFollow } from "./use-follow.ts";

interface TimelineListProps {
  readonly live: LiveSession;
  readonly state: LiveSessionState;
  /** What a person looks for, which is marked in the rows. */
  readonly soughtText: string;
  /** Called with the number of the first event on the screen. */
  readonly onNumber: (sequence: number) => void;
}

/**
 * The rows around the screen. Whatever is added, removed or grows elsewhere, the row at the top of the screen keeps its place,
 * unless the list follows its end.
 */
export function TimelineList({ live, state, soughtText, onNumber }: TimelineListProps): ReactNode {
  const { window, rows, jump, isLoading, failure } = state;
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizerRef = useRef<Virtualizer<HTMLDivElement, HTMLElement> | null>(null);
  const landing = useRef<Landing | null>(null);
  const follow = useFollow(scroller, {
    onDetach() {
      const virtualizer = virtualizerRef.current;
      if (virtualizer === null) return;
      virtualizer.cancelScroll();
      virtualizer.options.scrollEndThreshold = never;
    },
    onPerson: () => void (landing.current = null),
  });
  const isEndHeld = isAtHead(window);
  useMarkedText(scroller, soughtText);
  useEndInView(scroller, () => follow.current() && isEndHeld);
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLElement>({
    count: rows.count,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimateRowHeight(rowAt(rows, index)),
    getItemKey: (index) => rowAt(rows, index)?.key ?? index,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: follow.current() && isEndHeld ? followDistance : never,
    overscan: 6,
    paddingEnd: 16,
  });
  virtualizerRef.current = virtualizer;
  // The library leaves out rows above the screen while a person scrolls up, which moves what is being read.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = keepsPlace;

  const moveToEnd = (): void => {
    landing.current = null;
    follow.toEnd();
    virtualizer.options.scrollEndThreshold = followDistance;
    virtualizer.scrollToEnd();
  };
  const [target, setTarget] = useState<number | null>(null);
  useLayoutEffect(() => {
    if (jump === null || rows.count === 0) return;
    if (jump.to === "end") {
      moveToEnd();
      return;
    }
    follow.toRow();
    virtualizer.options.scrollEndThreshold = never;
    const index = Math.max(0, findRow(window, jump.to));
    landing.current = { to: jump.to, index, until: performance.now() + landingTime };
    setTarget(rowAt(rows, index)?.first ?? null);
    virtualizer.scrollToIndex(index, { align: "start" });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- moves once for each jump
  }, [jump]);
  useLayoutEffect(() => {
    const { current } = landing;
    if (current === null || performance.now() > current.until) return;
    const index = findRow(window, current.to);
    if (index < 0 || index === current.index) return;
    // The virtualizer still moves to the index that the row had before a page was added above it.
    landing.current = { ...current, index };
    virtualizer.scrollToIndex(index, { align: "start" });
  }, [virtualizer, window]);

  const items = virtualizer.getVirtualItems();
  const first = items.find(({ end }) => end > (virtualizer.scrollOffset ?? 0)) ?? items[0];
  const last = items.at(-1);
  const bottom = (virtualizer.scrollOffset ?? 0) + (virtualizer.scrollRect?.height ?? 0);
  const isEndOnScreen = last !== undefined && last.index === rows.count - 1 && last.start < bottom;
  const before = useRef({ rows, isEndOnScreen });
  useLayoutEffect(() => {
    const { current } = before;
    before.current = { rows, isEndOnScreen };
    if (current.rows !== rows && current.isEndOnScreen && isEndHeld && isEndAnswered(current.rows, rows)) moveToEnd();
  });
  useEffect(() => {
    if (first === undefined || last === undefined) return;
    live.onScreen(rows, first.index, last.index);
    const number = rowAt(rows, first.index)?.first;
    if (number !== undefined) onNumber(Math.min(number, window.head));
  }, [live, rows, window, first?.index, last?.index]); // oxlint-disable-line react-hooks/exhaustive-deps

  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- people without a pointer scroll it with keys
        tabIndex={0}
        role="log"
        // Rows come and go while a person scrolls. Only what a person asks for is read out.
        aria-live="off"
        aria-label="Timeline"
        className="h-full overflow-y-auto [overflow-anchor:none]"
        data-first={first === undefined ? "" : rowAt(rows, first.index)?.first}
      >
        <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
          <div className="absolute inset-x-0 top-0" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
            {items.map(({ index, key }) => {
              const row = rowAt(rows, index);
              if (row === undefined) return null;
              return (
                <div
                  key={key}
                  ref={virtualizer.measureElement}
                  data-index={index}
                  data-event={row.first}
                  className={
                    row.first === target ? "flow-root bg-raised shadow-[inset_2px_0_var(--accent)]" : "flow-root"
                  }
                >
                  <RowView row={row} mayHaveEnded={!isEndHeld} />
                </div>
              );
            })}
          </div>
        </div>
      </div>
      {isLoading && failure === null && (
        <div className="absolute inset-0">
          <Loading what="the session" />
        </div>
      )}
      {!isLoading && (!follow.isFollowing || !isEndHeld) && (
        <NewRowsButton
          head={window.head}
          isEndOnScreen={isEndHeld && isEndOnScreen}
          onClick={() => void live.jumpTo("end")}
        />
      )}
    </div>
  );
}

/** A jump to an event, until the list has come to rest there or a person moves it. */
interface Landing {
  readonly to: number;
  readonly index: number;
  readonly until: number;
}

/** So long after a jump, in milliseconds, the virtualizer may still move to the row's index. */
const landingTime = 5_000;

/** No distance from the end is smaller, so the list does not follow. */
const never = -1;

function keepsPlace(
  item: { start: number; end: number; key: string | number | bigint },
  _delta: number,
  virtualizer: Virtualizer<HTMLDivElement, HTMLElement>,
): boolean {
  const offset = virtualizer.scrollOffset ?? 0;
  return virtualizer.itemSizeCache.has(item.key) ? item.end <= offset : item.start < offset;
}

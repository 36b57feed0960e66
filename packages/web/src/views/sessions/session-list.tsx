import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, type ReactNode } from "react";
import { useLocation } from "wouter";
import { useKeys } from "../../app/keys.ts";
import { useMedia } from "../../components/use-media.ts";
import type { ListRow } from "../../state/sessions/session-list.ts";
import { SessionLine } from "./session-line.tsx";

interface SessionListProps {
  readonly rows: readonly ListRow[];
  readonly selected: string | null;
  readonly onSelect: (session: string) => void;
  /** What is below the last row. */
  readonly children: ReactNode;
}

const rowHeight = 32;
/** On a phone a row has three lines, and is large enough for a finger. */
const phoneRowHeight = 76;
const headingHeight = 36;

/** The sessions as rows. Only the visible ones are elements, so that hundreds cost as much as a screen of them. */
export function SessionList({ rows, selected, onSelect, children }: SessionListProps): ReactNode {
  const [, navigate] = useLocation();
  const scroller = useRef<HTMLDivElement>(null);
  const height = useMedia("(max-width: 639px)") ? phoneRowHeight : rowHeight;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (rows[index]?.type === "heading" ? headingHeight : height),
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 8,
  });
  // The heights of lines depend on their kind, so a list of other lines has other heights.
  useEffect(() => virtualizer.measure(), [rows, height, virtualizer]);
  useKeys(
    useMemo(() => {
      const move = (step: number): void => {
        const at = rows.findIndex((row) => row.type === "session" && row.key === selected);
        for (let next = at + step; next >= 0 && next < rows.length; next += step) {
          const row = rows[next];
          if (row?.type !== "session") continue;
          onSelect(row.key);
          return virtualizer.scrollToIndex(next, { align: "auto" });
        }
      };
      // In the preview or the filters, Enter and arrows are not those of the list.
      const inList =
        (action: () => void) =>
        ({ target }: KeyboardEvent): unknown =>
          (target === document.body || scroller.current?.contains(target as Node) === true) && action();
      return {
        j: () => move(1),
        k: () => move(-1),
        ArrowDown: inList(() => move(1)),
        ArrowUp: inList(() => move(-1)),
        Enter: inList(() => selected !== null && navigate(`/s/${selected}`)),
      };
    }, [rows, selected, onSelect, virtualizer, navigate]),
  );
  return (
    <div ref={scroller} className="overflow-y-auto border-line lg:border-r" data-testid="sessions">
      <div role="list" aria-label="Sessions" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start, size }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <div
              key={key}
              role="listitem"
              className="absolute inset-x-0"
              style={{ height: size, transform: `translateY(${start}px)` }}
            >
              {row.type === "heading" ? (
                <h2 className="truncate px-3 pt-3 pb-1 text-sm font-medium text-quiet">
                  <bdi>{row.label}</bdi> · {row.count}
                </h2>
              ) : (
                <SessionLine view={row.view} depth={row.depth} isSelected={row.key === selected} onSelect={onSelect} />
              )}
            </div>
          );
        })}
      </div>
      {rows.length === 0 && <p className="p-6 text-quiet">No session matches the filter.</p>}
      {children}
    </div>
  );
}

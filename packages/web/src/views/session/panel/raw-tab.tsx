import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { ClockTime } from "../../../components/clock-time.tsx";
import type { EventWindow } from "../../../state/timeline/event-window.ts";
import { RawEvent } from "./raw-event.tsx";

interface RawTabProps {
  readonly session: string;
  readonly window: EventWindow;
  /** The number of the first event of the timeline on the screen. */
  readonly number: number;
}

const height = 24;

/** The events of the part that is loaded, with their numbers. A click shows one as the journal has it. */
export function RawTab({ session, window, number }: RawTabProps): ReactNode {
  const events = useMemo(() => window.timeline.pages.flatMap((page) => page.events), [window.timeline]);
  const [chosen, setChosen] = useState<number | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (index) => events[index]?.sequence ?? index,
    overscan: 10,
  });
  const first = events[0]?.sequence ?? 1;
  useEffect(
    () => virtualizer.scrollToIndex(Math.max(0, number - first), { align: "start" }),
    [number, first, virtualizer],
  );
  return (
    <div className="flex h-full flex-col">
      <div
        ref={scroller}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- people without a pointer scroll it with keys
        tabIndex={0}
        role="region"
        aria-label="Raw events"
        className="min-h-0 flex-1 overflow-y-auto font-mono text-sm"
      >
        <ol className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, key, start }) => {
            const event = events[index];
            if (event === undefined) return null;
            return (
              <li key={key} className="absolute inset-x-0" style={{ transform: `translateY(${start}px)`, height }}>
                <button
                  type="button"
                  aria-expanded={event.sequence === chosen}
                  className={`flex h-full w-full items-center gap-3 px-3 text-left hover:bg-raised ${event.sequence === chosen ? "bg-raised" : ""}`}
                  onClick={() => setChosen(event.sequence === chosen ? null : event.sequence)}
                >
                  <span className="w-14 shrink-0 text-right text-quiet">{event.sequence}</span>
                  <span className="shrink-0 text-quiet">
                    <ClockTime at={event.occurredAt} />
                  </span>
                  <span className="truncate">{event.body.type}</span>
                </button>
              </li>
            );
          })}
        </ol>
      </div>
      {chosen !== null && <RawEvent session={session} number={chosen} />}
    </div>
  );
}

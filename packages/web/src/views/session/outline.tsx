import { toOneLine } from "@fairlead/api";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, type ReactNode } from "react";
import { factsOfTurn, type OutlineTurn } from "../../state/outline.ts";
import { useNow } from "../../app/use-now.ts";

interface OutlineProps {
  readonly turns: readonly OutlineTurn[];
  readonly hasEarlier: boolean;
  readonly current: number | undefined;
  readonly onJump: (sequence: number) => void;
  readonly onEarlier: () => void;
}

const tones = { quiet: "", waits: "text-waits", fails: "text-fails" } as const;
const height = 44;

/** The turns of the session, and which of them is on the screen. */
export function Outline({ turns, hasEarlier, current, onJump, onEarlier }: OutlineProps): ReactNode {
  const scroller = useRef<HTMLElement>(null);
  const now = useNow();
  const virtualizer = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (index) => turns[index]?.number ?? index,
    overscan: 4,
  });
  const currentIndex = turns.findIndex(({ number }) => number === current);
  useEffect(() => {
    if (currentIndex >= 0) virtualizer.scrollToIndex(currentIndex, { align: "auto" });
  }, [virtualizer, currentIndex]);
  return (
    <nav ref={scroller} aria-label="Turns" className="h-full overflow-y-auto">
      {hasEarlier && (
        <button type="button" className="min-h-8 w-full text-quiet hover:text-ink max-sm:min-h-11" onClick={onEarlier}>
          Earlier turns
        </button>
      )}
      <ol className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const turn = turns[index];
          if (turn === undefined) return null;
          const isCurrent = turn.number === current;
          return (
            <li key={key} className="absolute inset-x-0" style={{ transform: `translateY(${start}px)`, height }}>
              <button
                type="button"
                aria-current={isCurrent ? "true" : undefined}
                className={`flex h-full w-full flex-col justify-center border-l-2 px-3 text-left ${isCurrent ? "border-accent bg-raised" : "border-transparent hover:bg-raised"}`}
                onClick={() => onJump(turn.first)}
              >
                <span className="w-full truncate">
                  {turn.number} <bdi>{turn.title === "" ? "(without a message)" : toOneLine(turn.title)}</bdi>
                </span>
                <span className="w-full truncate text-xs text-quiet">
                  {factsOfTurn(turn, now).map(({ text, tone }, at) => (
                    <span key={at} className={tones[tone]}>
                      {at > 0 && " · "}
                      {text}
                    </span>
                  ))}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

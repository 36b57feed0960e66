import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { useKeys } from "../../app/keys.ts";
import { Button } from "../../components/button.tsx";
import { Chip } from "../../components/chip.tsx";
import { formatClock } from "../../components/clock-time.tsx";
import { ProblemText } from "../../components/problem-text.tsx";
import { eventAt, replaySpeeds, type ReplaySpeed, timelineOf } from "../../state/replay.ts";
import { RowView } from "../session/rows/row-view.tsx";
import { useReplay } from "./use-replay.ts";

/** Rows above these are not shown: they are in the session itself. */
const maxRows = 120;

interface ReplayerProps {
  readonly session: string;
  readonly total: number;
}

/** The rows until a moment, with the controls that move it. */
export function Replayer({ session, total }: ReplayerProps): ReactNode {
  const [speed, setSpeed] = useState<ReplaySpeed>(1);
  const { replay, isPlaying, error, setPlaying, moveTo } = useReplay(session, total, speed);
  const { position } = replay;
  const { pages } = replay;
  // Not of the whole replay: most of its steps play only a part of a pause.
  const rows = useMemo(() => timelineOf({ pages, position }).pages.flatMap((page) => page.rows), [pages, position]);
  const end = useRef<HTMLDivElement>(null);
  // Returns nothing: Chromium gives a promise, which React would call when the element is removed.
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- scrolls when there are other rows
  useEffect(() => {
    end.current?.scrollIntoView({ block: "end" });
  }, [rows]);
  const toggle = (): void => {
    if (position === total) moveTo(1);
    setPlaying(!isPlaying);
  };
  const keys = useRef({ toggle, moveBy: (step: number) => moveTo(position + step) });
  useEffect(() => void (keys.current = { toggle, moveBy: (step) => moveTo(position + step) }));
  useKeys(
    useMemo(
      () => ({
        " ": () => keys.current.toggle(),
        ArrowLeft: () => keys.current.moveBy(-1),
        ArrowRight: () => keys.current.moveBy(1),
      }),
      [],
    ),
  );
  const time = eventAt(replay, position)?.occurredAt;
  const label = `Event ${position} of ${total}`;
  return (
    <>
      {error !== null && <ProblemText error={error} />}
      <div className="min-h-0 flex-1 overflow-y-auto pb-4" data-position={position}>
        {rows.slice(-maxRows).map((row) => (
          <div key={row.key} className="flow-root">
            <RowView row={row} mayHaveEnded={false} />
          </div>
        ))}
        <div ref={end} />
      </div>
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-t border-line px-3 py-2">
        <Button kind="primary" hint="Space" onClick={toggle}>
          {isPlaying ? "Pause" : position === total ? "Play again" : "Play"}
        </Button>
        <Button aria-label="One event back" disabled={position <= 1} onClick={() => moveTo(position - 1)}>
          ←
        </Button>
        <Button aria-label="One event forward" disabled={position >= total} onClick={() => moveTo(position + 1)}>
          →
        </Button>
        {replaySpeeds.map((one) => (
          <Chip key={one} isOn={one === speed} onClick={() => setSpeed(one)}>
            {one}×
          </Chip>
        ))}
        <input
          type="range"
          aria-label="Moment of the session"
          aria-valuetext={time === undefined ? label : `${label}, ${formatMoment(time)}`}
          min={1}
          max={total}
          value={position}
          onChange={(event) => moveTo(event.target.valueAsNumber)}
          className="h-8 min-w-40 flex-1 accent-accent max-sm:h-11 max-sm:basis-full"
        />
        <span className="text-quiet">
          {label}
          {time !== undefined && <time dateTime={time}> · {formatMoment(time)}</time>}
        </span>
      </div>
    </>
  );
}

const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

function formatMoment(time: string): string {
  const date = new Date(time);
  return `${dayFormat.format(date)}, ${formatClock(date)}`;
}

import type { ReactNode } from "react";
import type { StripPart } from "../../state/time-strip.ts";

const colors = { work: "bg-quiet/60", wait: "bg-waits", failure: "bg-fails" } as const;
const words = { work: "worked", wait: "waited for a person", failure: "something failed" } as const;

interface TimeStripProps {
  readonly parts: readonly StripPart[];
  readonly current: number | undefined;
  readonly onJump: (sequence: number) => void;
}

/** The session as a line: a bar for each turn, waits, failures, and pauses folded. The outline has the same as text. */
export function TimeStrip({ parts, current, onJump }: TimeStripProps): ReactNode {
  if (parts.length === 0) return null;
  return (
    <div className="flex h-6 shrink-0 items-center gap-px overflow-hidden border-b border-line px-4" aria-hidden="true">
      {parts.map((part, index) =>
        part.type === "pause" ? (
          <span key={index} className="px-0.5 text-xs whitespace-nowrap text-quiet">
            {part.label}
          </span>
        ) : (
          <button
            key={index}
            type="button"
            tabIndex={-1}
            aria-label={`Turn ${part.turn}: ${words[part.type]}`}
            title={`Turn ${part.turn}: ${words[part.type]}`}
            onClick={() => onJump(part.first)}
            style={{ flexGrow: part.weight }}
            className={`h-2 min-w-1 rounded-xs hover:opacity-70 ${part.type === "work" && part.isOpen ? "bg-accent" : colors[part.type]} ${part.turn === current && part.type === "work" ? "ring-1 ring-accent" : ""}`}
          />
        ),
      )}
    </div>
  );
}

import type { ReactNode } from "react";
import type { LookupsRow as Row } from "../../../state/timeline/timeline-row.ts";
import { useDisclosure } from "../disclosures.ts";
import { ToolRow } from "./tool-row.tsx";

interface LookupsRowProps {
  readonly row: Row;
  readonly mayHaveEnded: boolean;
}

/** Reads and searches in a row, in one line until a person opens it. */
export function LookupsRow({ row: { calls, key }, mayHaveEnded }: LookupsRowProps): ReactNode {
  const [isOpen, setIsOpen] = useDisclosure(`group ${key}`);
  const isRunning = !mayHaveEnded && calls.some(({ endedAt }) => endedAt === null);
  return (
    <div className="py-0.5">
      <button
        type="button"
        aria-expanded={isOpen === true}
        className="flex min-h-6 w-full items-center gap-2 px-4 text-left font-mono text-sm text-quiet hover:bg-raised hover:text-ink max-sm:min-h-11"
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className={`w-3 text-center ${isRunning ? "text-accent" : ""}`} aria-hidden="true">
          {isOpen ? "▾" : "▸"}
        </span>
        {calls.length} {namesOf(calls)}
        {isRunning && <span className="text-accent">running</span>}
      </button>
      {isOpen && (
        <div className="ml-4 border-l border-line">
          {calls.slice(0, maxShown).map((call) => (
            <ToolRow key={call.key} row={call} mayHaveEnded={mayHaveEnded} />
          ))}
          {calls.length > maxShown && (
            <p className="px-4 text-quiet">… {calls.length - maxShown} more, in the raw events</p>
          )}
        </div>
      )}
    </div>
  );
}

const maxShown = 60;

function namesOf(calls: Row["calls"]): string {
  const kinds = new Set(calls.map(({ action }) => action?.kind));
  if (kinds.size > 1) return "reads and searches";
  return kinds.has("read") ? "reads" : "searches";
}

import type { ReactNode } from "react";
import { formatDuration } from "@fairlead/api";
import { OutputBox } from "../../../components/output-box.tsx";
import { runTimeOf } from "../../../state/timeline/with-answer.ts";
import { toCallWords } from "../../../state/timeline/call-words.ts";
import type { CallState, ToolRow as Row } from "../../../state/timeline/timeline-row.ts";
import { useDisclosure } from "../disclosures.ts";
import { ToolInput } from "./tool-input.tsx";

const signs: Readonly<Record<CallState, { readonly sign: string; readonly color: string; readonly word: string }>> = {
  requested: { sign: "○", color: "text-quiet", word: "requested" },
  running: { sign: "●", color: "text-accent motion-safe:animate-pulse", word: "running" },
  done: { sign: "✓", color: "text-good", word: "done" },
  failed: { sign: "✗", color: "text-fails", word: "failed" },
  denied: { sign: "⊘", color: "text-fails", word: "denied" },
  interrupted: { sign: "■", color: "text-waits", word: "interrupted" },
  unfinished: { sign: "✗", color: "text-fails", word: "unfinished" },
};

interface ToolRowProps {
  readonly row: Row;
  /** Whether the end of the call may be in a part of the session that is not held. */
  readonly mayHaveEnded?: boolean;
}

/** A call of a tool in one line, with its input and output if a person opens it. A failure is open. */
export function ToolRow({ row, mayHaveEnded = false }: ToolRowProps): ReactNode {
  const { state, output, endedAt, files } = row;
  const hasFailed = state === "failed" || state === "unfinished";
  const [isChosen, setIsChosen] = useDisclosure(row.key);
  const isOpen = isChosen ?? hasFailed;
  const isUnknown = mayHaveEnded && endedAt === null;
  const { sign, color, word } = isUnknown ? { ...signs.requested, word: "not known here" } : signs[state];
  const { verb, object } = toCallWords(row);
  return (
    <div className="px-4 py-0.5">
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex min-h-6 w-full items-center gap-2 text-left font-mono text-sm hover:bg-raised max-sm:min-h-11"
        onClick={() => setIsChosen(!isOpen)}
      >
        <span className={`w-3 shrink-0 text-center ${color}`} aria-hidden="true">
          {sign}
        </span>
        <span className="shrink-0">{verb}</span>
        <span className="min-w-0 flex-1 truncate text-quiet">{object}</span>
        {files.length > 1 && <span className="shrink-0 text-quiet">{files.length} files</span>}
        {row.requested !== null && <span className="shrink-0 text-waits">edited</span>}
        {state === "denied" || state === "interrupted" ? <span className={`shrink-0 ${color}`}>{word}</span> : null}
        <span className="sr-only">{word}</span>
        <span className="shrink-0 text-quiet">{durationOf(row)}</span>
      </button>
      {isOpen && (
        <div className="pb-1 pl-5">
          {isChosen === true && <ToolInput row={row} />}
          <OutputBox text={output} lines={isChosen === true ? 20 : 3} />
        </div>
      )}
    </div>
  );
}

function durationOf(row: Row): string {
  const milliseconds = runTimeOf(row);
  return milliseconds === null ? "" : formatDuration(milliseconds);
}

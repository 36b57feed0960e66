import { sanitizeText } from "@fairlead/api";
import { useState, type ReactNode } from "react";

interface OutputBoxProps {
  readonly text: string;
  /** How many lines are shown before a person asks for more. */
  readonly lines: number;
}

const maxLines = 400;

/** The beginning of an output, and the rest if a person asks for it. */
export function OutputBox({ text, lines }: OutputBoxProps): ReactNode {
  const [isWhole, setIsWhole] = useState(false);
  const all = sanitizeText(text).trimEnd().split("\n");
  const shown = all.slice(0, isWhole ? maxLines : lines);
  const left = all.length - shown.length;
  if (all.length === 1 && all[0] === "") return null;
  return (
    <div className="mt-1 rounded-md border border-line bg-raised px-2 py-1 font-mono text-sm">
      <pre className="max-h-120 overflow-auto whitespace-pre-wrap [overflow-wrap:anywhere]">{shown.join("\n")}</pre>
      {left > 0 && !isWhole && (
        <button type="button" className="text-quiet hover:text-ink max-sm:min-h-11" onClick={() => setIsWhole(true)}>
          … {left} more {left === 1 ? "line" : "lines"} ▸
        </button>
      )}
      {left > 0 && isWhole && <p className="text-quiet">… {left} more lines in the raw event</p>}
    </div>
  );
}

import { formatDuration } from "@fairlead/api";
import type { ReactNode } from "react";
import { Markdown } from "../../../components/markdown/markdown.tsx";
import type { TextRow as Row } from "../../../state/timeline/timeline-row.ts";
import { useDisclosure } from "../disclosures.ts";
import { WholeText } from "./whole-text.tsx";

/** More of a finished text is shown on request: its elements would be slow to scroll. */
const foldedLength = 20_000;

/** A text of the agent. */
export function TextRow({ row }: { readonly row: Row }): ReactNode {
  return (
    <div className="px-4 py-1.5">
      <WholeText
        text={row.text}
        first={row.first}
        last={row.last}
        hidden={row.hidden}
        limit={row.isOpen ? Infinity : foldedLength}
        render={(text) => <Markdown text={text} />}
      />
    </div>
  );
}

/** What the agent thought, folded. */
export function ReasoningRow({ row }: { readonly row: Row }): ReactNode {
  const [isOpen, setIsOpen] = useDisclosure(row.key);
  const words = row.isOpen
    ? "Thinking…"
    : row.seconds === null
      ? "Thought"
      : `Thought for ${formatDuration(row.seconds * 1000)}`;
  return (
    <div className="px-4 py-1 text-quiet">
      <button
        type="button"
        aria-expanded={isOpen === true}
        className="italic hover:text-ink max-sm:min-h-11"
        onClick={() => setIsOpen(isOpen !== true)}
      >
        {words} {isOpen === true ? "▾" : "▸"}
      </button>
      {isOpen === true && (
        <div className="mt-1 border-l-2 border-line pl-3">
          <WholeText
            text={row.text}
            first={row.first}
            last={row.last}
            hidden={row.hidden}
            limit={foldedLength}
            render={(text) => <Markdown text={text} />}
          />
        </div>
      )}
    </div>
  );
}

import { memo, type ReactNode } from "react";
import type { TimelineRow } from "../../../state/timeline/timeline-row.ts";
import { DecisionRow } from "./decision-row.tsx";
import { LookupsRow } from "./lookups-row.tsx";
import { MessageRow } from "./message-row.tsx";
import { FilesRow, NoteRow, QueuedRow, TurnEndRow, UnrecognizedRow } from "./note-row.tsx";
import { PlanRow } from "./plan-row.tsx";
import { ReasoningRow, TextRow } from "./text-row.tsx";
import { ToolRow } from "./tool-row.tsx";

interface RowViewProps {
  readonly row: TimelineRow;
  readonly mayHaveEnded: boolean;
}

/** A row of the timeline. It is rendered again only if its events changed. */
export const RowView = memo(function RowView({ row, mayHaveEnded }: RowViewProps): ReactNode {
  const content = contentOf(row, mayHaveEnded);
  if (row.parent === undefined) return content;
  return <div className="ml-4 border-l border-line">{content}</div>;
});

function contentOf(row: TimelineRow, mayHaveEnded: boolean): ReactNode {
  switch (row.type) {
    case "message":
      return <MessageRow row={row} />;
    case "queued":
      return <QueuedRow row={row} />;
    case "text":
      return <TextRow row={row} />;
    case "reasoning":
      return <ReasoningRow row={row} />;
    case "tool":
      return <ToolRow row={row} mayHaveEnded={mayHaveEnded} />;
    case "lookups":
      return <LookupsRow row={row} mayHaveEnded={mayHaveEnded} />;
    case "decision":
      return <DecisionRow row={row} />;
    case "plan":
      return <PlanRow row={row} />;
    case "files":
      return <FilesRow row={row} />;
    case "note":
      return <NoteRow row={row} />;
    case "turn-end":
      return <TurnEndRow row={row} />;
    case "unrecognized":
      return <UnrecognizedRow row={row} />;
    default:
      return row satisfies never;
  }
}

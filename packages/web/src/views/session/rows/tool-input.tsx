import { escapeInvisible } from "@fairlead/contract";
import { escapeLine } from "@fairlead/api";
import type { ReactNode } from "react";
import type { ToolRow } from "../../../state/timeline/timeline-row.ts";

const maxLength = 4_000;

/** What the tool gets, what the agent asked for if that was something else, and the files that changed. */
export function ToolInput({ row }: { readonly row: ToolRow }): ReactNode {
  const { files, name, enforcement, requested } = row;
  return (
    <div className="mt-1 font-mono text-sm">
      <InputText row={row} />
      {requested !== null && (
        <>
          <p className="mt-1 font-sans text-waits">Edited by the person who allowed it. The agent asked for:</p>
          <InputText row={requested} />
        </>
      )}
      <p className="mt-1 text-xs text-quiet">
        <bdi>{escapeLine(name)}</bdi>
        {enforcement !== undefined && ` · ${enforcement}`}
        {files.map(({ path, change }) => ` · ${change} ${escapeLine(path)}`)}
      </p>
    </div>
  );
}

function InputText({ row: { input, action } }: { readonly row: Pick<ToolRow, "input" | "action"> }): ReactNode {
  const text = action?.command ?? (typeof input === "string" ? input : (JSON.stringify(input, null, 2) ?? ""));
  return (
    <pre className="max-h-80 overflow-auto rounded-md border border-line px-2 py-1 whitespace-pre-wrap [overflow-wrap:anywhere]">
      {escapeInvisible(text.slice(0, maxLength))}
      {text.length > maxLength && `\n… ${(text.length - maxLength).toLocaleString()} more characters in the raw event`}
    </pre>
  );
}

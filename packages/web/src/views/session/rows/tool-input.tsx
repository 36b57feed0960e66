import { escapeInvisible } from "@fairlead/contract";
import { escapeLine } from "@fairlead/api";
import type { ReactNode } from "react";
import type { ToolRow } from "../../../state/timeline/timeline-row.ts";

const maxLength = 4_000;

/** What the agent gave to the tool, and the files that changed. */
export function ToolInput({ row: { input, action, files, name, enforcement } }: { readonly row: ToolRow }): ReactNode {
  const text = action?.command ?? (typeof input === "string" ? input : (JSON.stringify(input, null, 2) ?? ""));
  return (
    <div className="mt-1 font-mono text-sm">
      <pre className="max-h-80 overflow-auto rounded-md border border-line px-2 py-1 whitespace-pre-wrap [overflow-wrap:anywhere]">
        {escapeInvisible(text.slice(0, maxLength))}
        {text.length > maxLength &&
          `\n… ${(text.length - maxLength).toLocaleString()} more characters in the raw event`}
      </pre>
      <p className="mt-1 text-xs text-quiet">
        <bdi>{escapeLine(name)}</bdi>
        {enforcement !== undefined && ` · ${enforcement}`}
        {files.map(({ path, change }) => ` · ${change} ${escapeLine(path)}`)}
      </p>
    </div>
  );
}

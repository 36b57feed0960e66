import { groupDigits, type SessionView } from "@fairlead/api";
import type { ReactNode } from "react";

/** How much a session has changed: lines if they are known, else files. */
export function ChangedLines({ changes }: { readonly changes: SessionView["changes"] }): ReactNode {
  if (changes === null) return <span className="text-quiet">–</span>;
  const { files, added, removed } = changes;
  if (added === null || removed === null)
    return <span className="text-quiet">{files === 1 ? "1 file" : `${files} files`}</span>;
  return (
    <span title={`${files} files`}>
      <span className="text-good">+{groupDigits(added)}</span>{" "}
      <span className="text-fails">−{groupDigits(removed)}</span>
    </span>
  );
}

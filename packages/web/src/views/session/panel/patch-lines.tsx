import { escapeInvisible } from "@fairlead/contract";
import { useMemo, type ReactNode } from "react";
import { Decoration, Diff, Hunk, parseDiff, type HunkData } from "react-diff-view";
import "./patch-lines.css";

/** A generated file may have a hundred thousand lines. */
const maxLines = 500;

/** The changed lines of one file. */
export function PatchLines({ source }: { readonly source: string }): ReactNode {
  const { file, hunks, left } = useMemo(() => readHunks(source), [source]);
  if (file === undefined || hunks.length === 0) return <p className="px-4 py-1 text-quiet">No lines to show.</p>;
  return (
    <div className="overflow-x-hidden">
      <Diff viewType="unified" diffType={file.type} hunks={hunks}>
        {(shown) =>
          shown.flatMap((hunk, at) => [
            ...(at === 0
              ? []
              : [<Decoration key={`above ${hunk.content}`}>{describeGap(shown[at - 1], hunk)}</Decoration>]),
            <Hunk key={hunk.content} hunk={hunk} />,
          ])
        }
      </Diff>
      {left > 0 && <p className="px-4 py-1 text-quiet">… {left.toLocaleString()} more lines</p>}
    </div>
  );
}

function describeGap(before: HunkData | undefined, hunk: HunkData): string {
  const count = hunk.oldStart - (before === undefined ? 1 : before.oldStart + before.oldLines);
  return count === 1 ? "⋯ 1 unchanged line" : `⋯ ${count} unchanged lines`;
}

function readHunks(source: string) {
  // Code that reads otherwise than it runs is what a reviewer must see. A line break of two characters is none.
  const [file] = parseDiff(escapeInvisible(source.replaceAll("\r\n", "\n")), { nearbySequences: "zip" });
  const all = file?.hunks ?? [];
  let room = maxLines;
  const hunks = all.flatMap((hunk) => {
    const changes = hunk.changes.slice(0, Math.max(0, room));
    room -= hunk.changes.length;
    return changes.length === 0 ? [] : [{ ...hunk, changes }];
  });
  return { file, hunks, left: Math.max(0, -room) };
}

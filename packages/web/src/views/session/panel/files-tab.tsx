import { escapeLine } from "@fairlead/api";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useFairlead } from "../../../app/fairlead-context.ts";
import { Age } from "../../../components/age.tsx";
import { ProblemText } from "../../../components/problem-text.tsx";

interface FilesTabProps {
  readonly session: string;
  readonly version: string;
}

const maxFiles = 150;

/** The files that changed, newest first. */
export function FilesTab({ session, version }: FilesTabProps): ReactNode {
  const fairlead = useFairlead();
  const { data, error } = useQuery({
    queryKey: ["files", session, version],
    queryFn: () => fairlead.files(session),
    placeholderData: (before) => before,
  });
  if (error !== null) return <ProblemText error={error} />;
  if (data === undefined) return null;
  if (data.length === 0) return <p className="p-3 text-quiet">No file has changed.</p>;
  const files = data.toSorted((a, b) => (a.at < b.at ? 1 : -1));
  return (
    <ul className="h-full overflow-y-auto font-mono text-sm">
      {files.slice(0, maxFiles).map(({ path, change, at, attribution, discarded }) => (
        <li key={path} className="flex min-h-8 items-center gap-2 border-b border-line px-3 max-sm:min-h-11">
          <bdi className="min-w-0 flex-1 truncate">{escapeLine(path)}</bdi>
          {attribution === "unknown" && <span className="shrink-0 text-waits">not by a call</span>}
          {discarded === true && <span className="shrink-0 text-waits">not on the disk</span>}
          <span
            className={`shrink-0 ${change === "deleted" ? "text-fails" : change === "created" ? "text-good" : "text-quiet"}`}
          >
            {change}
          </span>
          <span className="w-14 shrink-0 text-right text-quiet">
            <Age since={at} />
          </span>
        </li>
      ))}
      {files.length > maxFiles && <li className="p-3 text-quiet">… {files.length - maxFiles} more files</li>}
    </ul>
  );
}

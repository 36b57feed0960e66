import { escapeLine } from "@fairlead/api";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useFairlead } from "../../app/fairlead-context.ts";
import { ProblemText } from "../../components/problem-text.tsx";
import { summarizePatch } from "../../state/patch-summary.ts";

interface TurnChangesProps {
  readonly session: string;
  readonly turn: number;
}

/** The files that changed during a turn, with the number of lines. */
export function TurnChanges({ session, turn }: TurnChangesProps): ReactNode {
  const fairlead = useFairlead();
  const { data, error } = useQuery({
    queryKey: ["turn changes", session, turn],
    queryFn: () => fairlead.diff(session, { turn }),
  });
  if (error !== null) return <ProblemText error={error} />;
  if (data === undefined) return <p className="text-quiet">Reading…</p>;
  const files = summarizePatch(data.patch);
  if (files.length === 0) return <p className="text-quiet">No file has changed in this turn.</p>;
  return (
    <ul className="font-mono text-sm">
      {files.map(({ path, added, cut }) => (
        <li key={path} className="flex gap-2">
          <bdi className="min-w-0 flex-1 truncate">{escapeLine(path)}</bdi>
          <span className="text-good">+{added}</span>
          <span className="text-fails">−{cut}</span>
        </li>
      ))}
      {data.truncated && <li className="text-waits">The patch is longer. These are its first files.</li>}
    </ul>
  );
}

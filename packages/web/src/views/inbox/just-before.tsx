import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useFairlead } from "../../app/fairlead-context.ts";
import { ProblemText } from "../../components/problem-text.tsx";
import { listRecentRows } from "../../state/recent-rows.ts";
import { readEvents } from "./read-events.ts";

/** Events that are read, and rows that are shown of them. */
const readCount = 60;
const shownCount = 6;

interface JustBeforeProps {
  readonly session: string;
  /** The newest event when the person asked. */
  readonly last: number;
}

/** The last messages and calls of a session. */
export function JustBefore({ session, last }: JustBeforeProps): ReactNode {
  const fairlead = useFairlead();
  const { data, error } = useQuery({
    queryKey: ["just before", session, last],
    queryFn: () => readEvents(fairlead, session, Math.max(0, last - readCount)),
  });
  if (error !== null) return <ProblemText error={error} />;
  if (data === undefined) return <p className="text-quiet">Reading…</p>;
  return (
    <ul className="flex flex-col gap-1">
      {listRecentRows(data, shownCount).map(({ sequence, mark, text }) => (
        <li key={sequence} className={mark === "" ? "line-clamp-3" : "truncate font-mono text-sm"}>
          {mark !== "" && <span className={mark === "✓" ? "text-good" : "text-fails"}>{mark} </span>}
          <bdi>{text}</bdi>
        </li>
      ))}
    </ul>
  );
}

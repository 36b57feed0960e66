import { escapeInvisible } from "@fairlead/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useFairlead } from "../../../app/fairlead-context.ts";
import { ProblemText } from "../../../components/problem-text.tsx";
import { readWholeEvent } from "../../../wire/read-journal-page.ts";

interface RawEventProps {
  readonly session: string;
  readonly number: number;
}

/** An element with megabytes of text would stop the page. */
const maxLength = 200_000;

/** One event as the journal has it. Invisible characters are written out. */
export function RawEvent({ session, number }: RawEventProps): ReactNode {
  const fairlead = useFairlead();
  const { data, error } = useQuery({
    queryKey: ["event", session, number],
    queryFn: ({ signal }) => readWholeEvent(fairlead, session, number, signal),
    staleTime: Infinity,
    gcTime: 10_000,
  });
  const text = data === undefined ? "" : JSON.stringify(data, null, 2);
  return (
    <div className="max-h-1/2 shrink-0 overflow-auto border-t border-line">
      {error !== null && <ProblemText error={error} />}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} className="p-3 font-mono text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
        {escapeInvisible(text.slice(0, maxLength))}
        {text.length > maxLength && `\n… ${(text.length - maxLength).toLocaleString()} more characters`}
      </pre>
    </div>
  );
}

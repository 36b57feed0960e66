import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useParams } from "wouter";
import { useFairlead } from "../../../app/fairlead-context.ts";
import { ProblemText } from "../../../components/problem-text.tsx";
import { readWholeText } from "../../../wire/read-journal-page.ts";

interface WholeTextProps {
  readonly text: string;
  /** The numbers of the first and last event that have the text. */
  readonly first: number;
  readonly last: number;
  /** How long the text is if the page does not have all of it, and otherwise 0. */
  readonly hidden: number;
  /** How much is shown before a person asks for more. */
  readonly limit: number;
  readonly render: (text: string) => ReactNode;
}

/** A text that may be long. What is folded or was cut for the page is counted, and shown on request. */
export function WholeText({ text, first, last, hidden, limit, render }: WholeTextProps): ReactNode {
  const fairlead = useFairlead();
  const { session = "" } = useParams();
  const [isWhole, setIsWhole] = useState(false);
  const { data, error } = useQuery({
    queryKey: ["whole text", session, first, last],
    queryFn: async ({ signal }) => (await readWholeText(fairlead, session, { first, last }, signal)) ?? text,
    enabled: isWhole && hidden > 0,
    staleTime: Infinity,
    gcTime: 10_000,
  });
  const shown = isWhole ? (data ?? text) : text.slice(0, limit);
  const left = Math.max(hidden, text.length) - shown.length;
  return (
    <>
      {render(shown)}
      {error !== null && <ProblemText error={error} />}
      {left > 0 && (
        <button type="button" className="text-quiet hover:text-ink max-sm:min-h-11" onClick={() => setIsWhole(true)}>
          … {left.toLocaleString()} more characters ▸
        </button>
      )}
    </>
  );
}

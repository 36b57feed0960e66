import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useParams } from "wouter";
import { useFairlead } from "../../../app/fairlead-context.ts";
import { Problem } from "../../../components/problem.tsx";
import { readWholeEvent } from "../../../wire/read-journal-page.ts";

interface WholeTextProps {
  readonly text: string;
  /** The number of the event that has the whole text, and how much of it the page does not have. */
  readonly number: number;
  readonly hidden: number;
  /** How much is shown before a person asks for more. */
  readonly limit: number;
  readonly render: (text: string) => ReactNode;
}

/** A text that may be long. What is folded or was cut for the page is counted, and shown on request. */
export function WholeText({ text, number, hidden, limit, render }: WholeTextProps): ReactNode {
  const fairlead = useFairlead();
  const { session = "" } = useParams();
  const [isWhole, setIsWhole] = useState(false);
  const { data, error } = useQuery({
    queryKey: ["whole text", session, number],
    queryFn: async ({ signal }) => {
      const { body } = await readWholeEvent(fairlead, session, number, signal);
      return "text" in body ? body.text : "input" in body && typeof body.input === "string" ? body.input : text;
    },
    enabled: isWhole && hidden > 0,
    staleTime: Infinity,
    gcTime: 10_000,
  });
  const shown = isWhole ? (data ?? text) : text.slice(0, limit);
  const left = Math.max(hidden, text.length) - shown.length;
  return (
    <>
      {render(shown)}
      {error !== null && <Problem error={error} />}
      {left > 0 && (
        <button type="button" className="text-quiet hover:text-ink max-sm:min-h-11" onClick={() => setIsWhole(true)}>
          … {left.toLocaleString()} more characters ▸
        </button>
      )}
    </>
  );
}

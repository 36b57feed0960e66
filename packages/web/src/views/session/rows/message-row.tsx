import { sanitizeText } from "@fairlead/api";
import { stripContext } from "@fairlead/contract";
import type { ReactNode } from "react";
import { ClockTime } from "../../../components/clock-time.tsx";
import type { MessageRow as Row } from "../../../state/timeline/timeline-row.ts";
import { WholeText } from "./whole-text.tsx";

const remarks: Readonly<Record<Row["how"], string>> = {
  user: "",
  agent: "by the agent",
  terminal: "in the terminal",
  steered: "into the running turn",
  injected: "added to the next message",
};

/** A longer message is folded: it may be a whole document. */
const foldedLength = 1200;

/** A message to the agent. That of a turn is a bar over its whole width. */
export function MessageRow({ row }: { readonly row: Row }): ReactNode {
  const { text, how, at, first, last, hidden, hasContext } = row;
  const isTurn = how === "user" || how === "agent" || how === "terminal";
  return (
    <div
      className={`flex gap-2 px-4 py-2 ${isTurn ? "mt-3 border-y border-line bg-raised" : "border-l-2 border-accent"}`}
    >
      <span className="shrink-0 text-quiet">
        <ClockTime at={at} />
      </span>
      <div className="min-w-0">
        {text === "" ? (
          <p className="text-quiet">The agent started a turn without a message.</p>
        ) : (
          <WholeText
            text={text}
            first={first}
            last={last}
            hidden={hidden}
            limit={foldedLength}
            render={(shown) => (
              <p className="[overflow-wrap:anywhere] whitespace-pre-wrap">{sanitizeText(stripContext(shown))}</p>
            )}
          />
        )}
        {hasContext && <p className="text-sm text-quiet">The agent also got context. Raw has all of it.</p>}
        {remarks[how] !== "" && text !== "" && <p className="text-sm text-quiet">{remarks[how]}</p>}
      </div>
    </div>
  );
}

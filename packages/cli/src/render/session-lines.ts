import type { EventOf } from "@fairlead/contract";
import { oneLine } from "./tool-lines.ts";

/** Who works where, under which mode. */
export function startedLine(started: EventOf<"session.started">, session: string, label: string): string {
  const version = started.agentVersion === null ? "" : ` ${oneLine(started.agentVersion)}`;
  const words = [`${oneLine(label)}${version}`, started.mode, oneLine(started.workspace), `session ${session}`];
  const goesOn = started.continues === null ? "" : `, continues ${started.continues.session}`;
  return words.join(" · ") + goesOn;
}

/** How a session ended, in a sentence. */
export function endedLine({ reason, exit }: EventOf<"session.ended">): string {
  const how = exit === null ? "" : exit.signal === null ? ` (exit code ${exit.code})` : ` (${exit.signal})`;
  return endings[reason] + (reason === "crashed" || reason === "failed" ? how : "");
}

const endings: Readonly<Record<EventOf<"session.ended">["reason"], string>> = {
  stopped: "The session was stopped.",
  finished: "The agent has finished, and the session with it.",
  failed: "The session failed.",
  crashed: "The agent died without a word.",
  lost: "The session was lost: nobody saw how it ended.",
};

export function resumedLine({ outcome }: EventOf<"session.resumed">): string {
  return {
    attached: "Attached again.",
    native: "Resumed, from the agent's own memory.",
    forked: "Forked, with the agent's own memory of what was said so far.",
    rebuilt: "Resumed, with a memory rebuilt from the journal.",
    fresh: "Resumed, without a memory of what was said.",
  }[outcome];
}

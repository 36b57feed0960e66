import type { DecisionView } from "@fairlead/api";
import type { Answer } from "@fairlead/contract";
import { useSyncExternalStore } from "react";
import type { CardStatus } from "../state/inbox/card-status.ts";
import { inboxKey } from "../state/inbox/inbox-list.ts";
import { Answers, findLateAnswer, type LateRequest } from "./answers.ts";
import { useFairleadWithoutRetries, useLive } from "./fairlead-context.ts";

const answers = new Answers();

// The browser asks before it closes or reloads a tab whose answers would be lost.
addEventListener("beforeunload", (event) => answers.hasPending && event.preventDefault());

export interface AnswerDesk {
  /** How far the answer to an open request is. */
  readonly statusOf: (view: DecisionView) => Exclude<CardStatus, { type: "closed" }>;
  /** The answer to a request that was closed before it arrived, if there is one. */
  readonly findLate: (request: LateRequest) => Answer | null;
  readonly give: (view: DecisionView, answer: Answer) => void;
  readonly withdraw: (view: DecisionView) => void;
}

/** Answers requests. Answers that waited for the connection are sent when it is there again, whatever is shown then. */
export function useAnswers(): AnswerDesk {
  // An answer that is on its way must not look so while the connection is lost.
  const fairlead = useFairleadWithoutRetries();
  const live = useLive();
  const sent = useSyncExternalStore(answers.subscribe, answers.getSnapshot);
  const route = {
    fairlead,
    isOpen: () => live.getSnapshot().isOpen,
    untilOpen: (signal: AbortSignal) => live.untilOpen(signal),
  };
  return {
    statusOf: (view) => sent.get(inboxKey(view))?.status ?? { type: "open" },
    findLate: (request) => findLateAnswer(sent.values(), request),
    give: (view, answer) => void answers.give(route, view, answer),
    withdraw: (view) => answers.withdraw(view),
  };
}

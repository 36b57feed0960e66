import type { Answer } from "@fairlead/contract";

/** How far the answer to a request is. */
export type CardStatus =
  | { readonly type: "open" }
  | { readonly type: "sending"; readonly answer: Answer }
  /**
   * The answer waits for the connection. A repeated attempt has the same key, so that it counts once. After an attempt that
   * failed, the service may have the answer, so that it can no longer be withdrawn.
   */
  | { readonly type: "queued"; readonly answer: Answer; readonly key: string; readonly mayHaveArrived: boolean }
  /** The service refused the answer, and the request is still open. */
  | { readonly type: "refused"; readonly reason: string }
  /** The request was closed before the answer arrived, so that the answer changed nothing. */
  | { readonly type: "late"; readonly answer: Answer }
  /**
   * The request is answered or withdrawn. `outcome` is null until it is known what happened. `unused`: the answer of this page
   * that came too late.
   */
  | { readonly type: "closed"; readonly outcome: string | null; readonly unused?: Answer };

/** Says that an answer was not used. Otherwise the answer of another person looks as if it were this one's. */
export function describeUnused(answer: Answer): string {
  return `Your answer “${nameAnswer(answer)}” was not used: the request was closed before it arrived.`;
}

/** Names an answer for the person who gave it. */
export function nameAnswer(answer: Answer): string {
  switch (answer.type) {
    case "allow":
      if (answer.option !== undefined) return "Allow by the agent's option";
      if (answer.input !== undefined) return "Allow with your changes";
      return { once: "Allow once", session: "Allow for this session", rule: "Allow from now on" }[
        answer.remember ?? "once"
      ];
    case "deny":
      return answer.interrupt ? "Deny and stop the turn" : "Deny";
    case "choose":
      return "Your answer";
    default:
      return answer satisfies never;
  }
}

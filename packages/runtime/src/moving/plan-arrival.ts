import type { Moving, NoteOf } from "@fairlead/contract";

/** What decides how a session continues on a host that has taken it over. */
export interface ArrivalFacts {
  /** What the start allowed. */
  readonly moving: Moving;
  /** Why the agent cannot continue with its own memory here; null if it can. One sentence. */
  readonly memoryProblem: string | null;
  /** Why no agent can work here for the session, with or without memory; null if one can. One sentence. */
  readonly hostProblem: string | null;
  /** Whether the session's host is alive and only leaves it to another one. */
  readonly isOwnerAlive: boolean;
  /** Whether a turn of the session has ended, so that there is something to remember. */
  readonly hasEndedTurn: boolean;
}

export type ArrivalPlan = Pick<NoteOf<"moved">, "outcome" | "reason">;

/** Decides how a session continues. It is never rebuilt without the consent of its start, unless nothing is forgotten. */
export function planArrival(facts: ArrivalFacts): ArrivalPlan {
  const { moving, memoryProblem, hostProblem, isOwnerAlive, hasEndedTurn } = facts;
  const lost = (problem: string): ArrivalPlan => {
    const reason = isOwnerAlive ? problem : `The session's host was lost. ${problem}`;
    return { outcome: "lost", reason };
  };
  if (moving === "never") return lost("The session was started not to move to another host.");
  if (hostProblem !== null) return lost(hostProblem);
  if (memoryProblem === null) return { outcome: "native" };
  if (moving === "rebuilt" || !hasEndedTurn) return { outcome: "rebuilt", reason: memoryProblem };
  return lost(`${memoryProblem} Start with \`--moving rebuilt\` to continue without it.`);
}

import type { Answer, EventOf } from "@fairlead/contract";

export type Decision = EventOf<"decision.requested">;

/** Whoever answers what an agent asks. */
export interface Answerer {
  /** The answer, or null from a person who leaves instead. Aborting means that it is no longer wanted; the signal's reason is thrown. */
  answer(decision: Decision, signal: AbortSignal): Promise<Answer | null>;
}

/** Answers for a person who is not there. It says so once, together with what would have helped. */
export function absentAnswerer(warn: (text: string) => void, modes: () => Promise<readonly string[]>): Answerer {
  let warned = false;
  return {
    async answer({ kind }) {
      if (!warned) {
        const all = kind === "approval" && (await modes()).includes("full-auto");
        const instead = all ? "`fairlead run --mode full-auto` allows what it asks" : "run it in a terminal to answer";
        warn(`The agent asks, but nobody is there to answer: it is told no (${instead}).`);
      }
      warned = true;
      return { type: "deny", message: "Nobody is there to answer.", interrupt: false };
    },
  };
}

import type { Answer, EventOf } from "@fairlead/contract";

export type Decision = EventOf<"decision.requested">;

/** Whoever answers what an agent asks. */
export interface Answerer {
  /** The answer, or null from a person who leaves instead. Aborting means that it is no longer wanted; the signal's reason is thrown. */
  answer(decision: Decision, signal: AbortSignal): Promise<Answer | null>;
}

/** Answers for a person who is not there. It says so once, together with what would have helped. */
export function absentAnswerer(warn: (text: string) => void, modes: readonly string[]): Answerer {
  let warned = false;
  return {
    async answer({ kind }) {
      const mode = kind === "approval" && modes.includes("full-auto") ? "full-auto" : null;
      const instead =
        mode === null ? "run it in a terminal to answer" : `\`fairlead run --mode ${mode}\` allows what it asks`;
      if (!warned) warn(`The agent asks, but nobody is there to answer: it is told no (${instead}).`);
      warned = true;
      return { type: "deny", message: "Nobody is there to answer.", interrupt: false };
    },
  };
}

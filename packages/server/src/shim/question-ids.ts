import type { ShimState } from "./shim-state.ts";

/** The ids under which a decision is told: its own, or, where it asks several things at once, one for each. */
export function questionIds(decision: string, questions: readonly unknown[]): string[] {
  return questions.length < 2 ? [decision] : questions.map((_, index) => `${decision}/${index + 1}`);
}

export const optionId = (index: number): string => `option-${index + 1}`;

export interface FoundDecision {
  readonly decision: string;
  /** Which of its questions is meant. */
  readonly index: number;
  readonly asked: ShimState["decisions"][string];
}

/** The decision that is told under an id. */
export function findDecision({ decisions }: ShimState, id: string): FoundDecision | undefined {
  for (const [decision, asked] of Object.entries(decisions)) {
    const index = questionIds(decision, asked.questions).indexOf(id);
    if (index >= 0) return { decision, index, asked };
  }
  return undefined;
}

/** The ids of all that waits for an answer. */
export function openDecisions({ decisions }: ShimState): string[] {
  return Object.entries(decisions).flatMap(([decision, { open, questions }]) =>
    open ? questionIds(decision, questions) : [],
  );
}

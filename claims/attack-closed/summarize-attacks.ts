/** How a run of an attack ended. `failed`: its program threw, so the run shows nothing about the defense. */
export type AttackResult = "succeeded" | "closed" | "failed";

/** The results of one attack, now and on the commit before the defenses. */
export interface AttackRuns {
  readonly id: string;
  readonly now: AttackResult;
  /** Undefined if the attack has no control. */
  readonly before?: AttackResult;
}

export interface AttackSummary {
  /** The attacks that are not shown to be closed: a run that failed counts as open. */
  readonly open: readonly string[];
  /** The attacks that succeeded before the defenses. */
  readonly proven: readonly string[];
  /** The attacks whose control does not show that they can succeed: a run that failed shows nothing. */
  readonly unproven: readonly string[];
  readonly withoutControl: readonly string[];
}

export function summarizeAttacks(runs: readonly AttackRuns[]): AttackSummary {
  const select = (matches: (run: AttackRuns) => boolean): string[] => runs.filter(matches).map(({ id }) => id);
  return {
    open: select(({ now }) => now !== "closed"),
    proven: select(({ before }) => before === "succeeded"),
    unproven: select(({ before }) => before !== undefined && before !== "succeeded"),
    withoutControl: select(({ before }) => before === undefined),
  };
}

/** The results of damages. */
export interface DamageTally {
  readonly damageCounts: Record<string, number>;
  /** One line for each failure. */
  readonly wrong: string[];
  /** How often an unchecked reader silently received wrong or too few events. */
  readonly silentErrors: number;
}

export function addTallies(tallies: readonly DamageTally[]): DamageTally {
  const damageCounts: Record<string, number> = {};
  for (const tally of tallies) {
    for (const [kind, count] of Object.entries(tally.damageCounts))
      damageCounts[kind] = (damageCounts[kind] ?? 0) + count;
  }
  return {
    damageCounts,
    wrong: tallies.flatMap(({ wrong }) => wrong),
    silentErrors: tallies.reduce((sum, { silentErrors }) => sum + silentErrors, 0),
  };
}

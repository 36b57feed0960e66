/** What came of some injuries. */
export interface Tally {
  readonly injuries: Record<string, number>;
  /** A line for each that went wrong. */
  readonly wrong: string[];
  /** How often a reader that checks nothing was given something wrong, or too little, without a word. */
  readonly silent: number;
}

export function addTallies(tallies: readonly Tally[]): Tally {
  const injuries: Record<string, number> = {};
  for (const tally of tallies) {
    for (const [kind, count] of Object.entries(tally.injuries)) injuries[kind] = (injuries[kind] ?? 0) + count;
  }
  return {
    injuries,
    wrong: tallies.flatMap(({ wrong }) => wrong),
    silent: tallies.reduce((sum, { silent }) => sum + silent, 0),
  };
}

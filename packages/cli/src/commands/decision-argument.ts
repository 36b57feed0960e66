/** How a decision is named: [what stands in the grammar, what is said about it]. */
export const decisionArgument = ["[decision]", "which, if it waits for several answers"] as const;

/** Where a sender is killed: inside the frame of the wish, inside that of the words to the agent, after both, or anywhere. */
export const instants = ["inside the wish", "inside the words", "after the words", "anywhere"] as const;
export type Instant = (typeof instants)[number];

/** When a sender is killed: inside the request of the command, inside the request of the write, after both, or anywhere. */
export const killPoints = ["inside the wish", "inside the words", "after the words", "anywhere"] as const;
export type KillPoint = (typeof killPoints)[number];

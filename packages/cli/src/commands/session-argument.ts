/** How a session is named in every command: [what stands in the grammar, what is said about it]. */
export const sessionArgument = ["<session>", "its name, its id, or the beginning of its id"] as const;

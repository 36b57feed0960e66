/** The versions of each program that we say we work with, the newest first: it and the last of two earlier minors. */
export const versions: Readonly<Record<string, readonly string[]>> = {
  "claude-code": ["2.1.325", "2.0.77", "1.0.128"],
  codex: ["0.166.0", "0.165.0", "0.164.0"],
  "gemini-cli": ["0.61.0", "0.60.0", "0.59.0"],
};

/**
 * The supported versions of each program, newest first: the pinned one, and the last of each of two earlier minor
 * versions.
 */
export const supportedVersions: Readonly<Record<string, readonly string[]>> = {
  "claude-code": ["2.1.325", "2.0.77", "1.0.128"],
  codex: ["0.166.0", "0.165.0", "0.164.0"],
  "gemini-cli": ["0.61.0", "0.60.0", "0.59.0"],
};

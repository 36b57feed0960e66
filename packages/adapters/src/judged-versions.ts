/** A version of an agent's program on which the conformance suite was run. */
export interface JudgedVersion {
  readonly version: string;
  /** The number of MUST clauses that apply to it. */
  readonly clauses: number;
  readonly kept: number;
}

/**
 * The judged versions of each agent's program, the newest first: the records of docs/status/compatibility.md.
 * `node scripts/docs.ts` writes this file.
 */
export const judgedVersions: Readonly<Record<string, readonly JudgedVersion[]>> = {
  amp: [{ version: "0.0.1769314944-g5070a1", clauses: 38, kept: 37 }],
  "claude-code": [
    { version: "2.1.325", clauses: 64, kept: 64 },
    { version: "2.0.77", clauses: 62, kept: 62 },
    { version: "1.0.128", clauses: 60, kept: 58 },
  ],
  codex: [
    { version: "0.166.0", clauses: 61, kept: 61 },
    { version: "0.165.0", clauses: 61, kept: 61 },
    { version: "0.164.0", clauses: 61, kept: 61 },
  ],
  "gemini-cli": [
    { version: "0.61.0", clauses: 49, kept: 49 },
    { version: "0.60.0", clauses: 49, kept: 49 },
    { version: "0.59.0", clauses: 49, kept: 49 },
  ],
  openclaw: [{ version: "2026.9.6", clauses: 24, kept: 24 }],
  opencode: [{ version: "1.18.33", clauses: 54, kept: 54 }],
};

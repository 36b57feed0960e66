import { withScript } from "@fairlead/kit";

/** A step of a script that writes files, one tool call each. */
export const writeStep = (files: Readonly<Record<string, string>>): object => ({
  tools: Object.entries(files).map(([path, content]) => ({ name: "write", input: { path, content } })),
});

/** A step of a script that submits a review. */
export const submitStep = (verdict: "approve" | "changes", findings: readonly object[] = []): object => ({
  tools: [{ name: "use", input: { tool: "submit_review", input: { verdict, findings } } }],
});

/**
 * A file whose content is the script of the reviewer, who finds it in the patch. The last script in a message counts, and
 * the patch comes after the briefs of the tasks.
 */
export const reviewFile = (...steps: readonly object[]): Record<string, string> => ({
  "zz-review.txt": `${withScript("review", steps)}\n`,
});

/** A brief with the script of the builder. */
export const brief = (text: string, ...steps: readonly object[]): string => withScript(text, steps);

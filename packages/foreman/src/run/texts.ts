import type { CommandResult, Plan, PlanTask, ReviewFinding } from "@fairlead/api";
import type { Brief } from "@fairlead/contract";

/** Bytes of JSON that a part of a brief may have. A brief has at most 256 KiB. */
const partBytes = { patch: 80_000, findings: 30_000, tasks: 30_000, side: 40_000 };

/** Cuts a text so that it has at most so many bytes as JSON. */
export function cutToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(JSON.stringify(text)) <= bytes) return text;
  let length = Math.min(text.length, bytes);
  while (Buffer.byteLength(JSON.stringify(text.slice(0, length))) > bytes) length = Math.floor(length * 0.8);
  return `${text.slice(0, length)}\n[the rest is left out]`;
}

const fileRule =
  "Leave your work as files in this folder. Fairlead takes them when your turn ends, and makes the commit and the request itself.";

const commandTexts = (plan: Plan): string[] => plan.acceptance.map(({ command }) => `\`${command}\` exits with 0.`);

export function describeTask(plan: Plan, task: PlanTask): Brief {
  const others = plan.tasks.filter(({ id }) => id !== task.id).map(({ id }) => id);
  const context = others.length === 0 ? "" : `\n\nOther agents work on: ${others.join(", ")}. Do only your own task.`;
  return {
    title: task.id,
    goal: `${task.brief}\n\nIt is a part of this goal: ${plan.goal}${context}`,
    constraints: [...plan.constraints, fileRule],
    acceptance: commandTexts(plan),
  };
}

export function describeFailedCommand({ command, problem, output }: CommandResult): string {
  return `Fairlead ran \`${command}\` on your work, and it did not pass. ${problem ?? ""}\n\nThe end of its output:\n\n${output}\n\nRepair your work. The command is run again when your turn ends.`;
}

export function formatFinding({ path, line, what, severity }: ReviewFinding): string {
  return `- ${path}${line === undefined ? "" : `:${line}`} (${severity}): ${what}`;
}

export function describeFindings(findings: readonly ReviewFinding[]): string {
  return `A reviewer asks for changes:\n\n${cutToBytes(findings.map(formatFinding).join("\n"), partBytes.patch)}\n\nRepair them. Your work is reviewed again when your turn ends.`;
}

export interface ConflictText {
  readonly conflicts: readonly string[];
  /** The briefs and patches of both sides. */
  readonly sides: readonly { readonly name: string; readonly brief: string; readonly patch: string }[];
  /** What a command said about the merged work, if it was merged without conflicts. */
  readonly failure: string | null;
}

export function describeConflict(plan: Plan, { conflicts, sides, failure }: ConflictText): Brief {
  const parts = sides.map(
    ({ name, brief, patch }) =>
      `## ${name}\n\nIts task:\n\n${cutToBytes(brief, partBytes.side)}\n\nIts changes:\n\n\`\`\`diff\n${cutToBytes(patch, partBytes.side)}\n\`\`\``,
  );
  const problem =
    failure ??
    `Git could not merge these files, which have conflict markers now: ${conflicts.join(", ")}. Remove all markers.`;
  return {
    title: "Join the work of two agents",
    goal: `Two agents changed the same project. Both changes are in this folder. ${problem} Keep what both wanted.\n\n${parts.join("\n\n")}`,
    constraints: [...plan.constraints, fileRule],
    acceptance: commandTexts(plan),
  };
}

export interface ReviewText {
  readonly patch: string;
  /** What the last reviewer found. */
  readonly earlier: readonly ReviewFinding[];
}

export function describeReview(plan: Plan, { patch, earlier }: ReviewText): Brief {
  const repaired =
    earlier.length === 0
      ? ""
      : `\n\nAn earlier review asked for these changes. See whether they were made:\n\n${earlier.map(formatFinding).join("\n")}`;
  return {
    title: "Review a change",
    goal: `Review the change in this folder, which you can read and not write. Its goal is: ${plan.goal}\n\nThe tasks were:\n\n${cutToBytes(plan.tasks.map(({ id, brief }) => `- ${id}: ${brief}`).join("\n"), partBytes.tasks)}${cutToBytes(repaired, partBytes.findings)}\n\nThe change:\n\n\`\`\`diff\n${cutToBytes(patch, partBytes.patch)}\n\`\`\``,
    constraints: [
      ...plan.constraints,
      "Call submit_review once, at the end. Only this call counts: nobody reads what you write.",
      "The verdict `changes` is for errors. Each finding names a file, and says what is wrong and why.",
    ],
    acceptance: ["You have called submit_review."],
  };
}

export const reviewReminder =
  "You have not called submit_review, and nobody reads what you wrote. Call it now with your verdict and your findings.";

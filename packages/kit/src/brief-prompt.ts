import type { Brief } from "@fairlead/contract";

/** A brief as words for an agent. */
export function briefPrompt(brief: Brief): string {
  const parts = [`# ${brief.title}`, brief.goal];
  if (brief.room !== undefined) parts.push(`Stay within \`${brief.room}\`.`);
  if (brief.constraints.length > 0) parts.push(list("Constraints", brief.constraints));
  if (brief.acceptance.length > 0) parts.push(list("It is done when", brief.acceptance));
  return parts.join("\n\n");
}

function list(title: string, items: readonly string[]): string {
  return [`${title}:`, ...items.map((item) => `- ${item}`)].join("\n");
}

import type { Brief } from "@fairlead/contract";

/** Formats a brief as a prompt for an agent. */
export function briefPrompt(brief: Brief): string {
  const parts = [`# ${brief.title}`, brief.goal];
  if (brief.room !== undefined) parts.push(`Stay within \`${brief.room}\`.`);
  if (brief.constraints.length > 0) parts.push(formatList("Constraints", brief.constraints));
  if (brief.acceptance.length > 0) parts.push(formatList("It is done when", brief.acceptance));
  return parts.join("\n\n");
}

function formatList(title: string, items: readonly string[]): string {
  return [`${title}:`, ...items.map((item) => `- ${item}`)].join("\n");
}

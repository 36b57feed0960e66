import { briefUpdateIntroduction, type Brief } from "@fairlead/contract";

/** Formats a brief as a prompt for an agent. `roomPaths` are the paths of its room. */
export function briefPrompt(brief: Brief, roomPaths: readonly string[] = []): string {
  const parts = [`# ${brief.title}`, brief.goal];
  if (brief.room !== undefined) parts.push(formatRoom(brief.room, roomPaths));
  if (brief.constraints.length > 0) parts.push(formatList("Constraints", brief.constraints));
  if (brief.acceptance.length > 0) parts.push(formatList("It is done when", brief.acceptance));
  return parts.join("\n\n");
}

/** Formats a changed brief as a text for an agent that may know an older one. */
export function briefUpdatePrompt(brief: Brief, roomPaths: readonly string[] = []): string {
  return `${briefUpdateIntroduction}\n\n${briefPrompt(brief, roomPaths)}`;
}

function formatRoom(room: string, paths: readonly string[]): string {
  if (paths.length === 0) return `Stay within the room \`${room}\`.`;
  return `Stay within the room \`${room}\`: ${paths.map((path) => `\`${path}\``).join(", ")}.`;
}

function formatList(title: string, items: readonly string[]): string {
  return [`${title}:`, ...items.map((item) => `- ${item}`)].join("\n");
}

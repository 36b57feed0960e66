import type { AgentBrief } from "./agent-brief.ts";

/**
 * The maximum length of a prompt in characters. The knowledge comes last, because it is the least important when cut.
 */
export const maxPromptLength = 8000;
const truncationMark = "\n[…]";

/** Formats a brief as the first message to an agent. */
export function briefToPrompt(brief: AgentBrief): string {
  const { role, workstream, description, projectBrief, constraints, knowledgeSnapshot } = brief;
  const goals = [...brief.goals, ...(projectBrief?.goals ?? [])];
  const rules = [...constraints, ...(projectBrief?.constraints ?? [])];
  const project = [projectBrief?.title, projectBrief?.description].filter(Boolean).join(": ");
  return joinAndTruncate([
    role && `You are: ${role}`,
    workstream && `Workstream: ${workstream}`,
    description,
    project && `Project: ${project}`,
    formatList("Goals", goals),
    formatList("Constraints", rules),
    formatKnowledge(knowledgeSnapshot),
  ]);
}

/** Formats changes of a brief as context for the agent. */
export function briefChangeToPrompt(changes: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(changes).map(([name, value]) => `${name}: ${formatValue(value)}`);
  return joinAndTruncate([`Your brief has changed. These values apply from now on:`, lines.join("\n")]);
}

function formatList(title: string, items: readonly string[]): string {
  return items.length === 0 ? "" : [`${title}:`, ...items.map((item) => `- ${item}`)].join("\n");
}

/** Summarizes lists by their length and the names of their items. Other values are formatted in full. */
function formatKnowledge(snapshot: unknown): string {
  if (snapshot === undefined || snapshot === null || snapshot === "") return "";
  if (typeof snapshot !== "object") return `Known facts:\n${formatValue(snapshot)}`;
  const lines = Object.entries(snapshot).flatMap(([name, value]: [string, unknown]) => {
    if (!Array.isArray(value)) return [`- ${name}: ${formatValue(value)}`];
    if (value.length === 0) return [];
    return [`- ${name} (${value.length}): ${value.map(itemName).join("; ")}`];
  });
  return lines.length === 0 ? "" : ["Known facts:", ...lines].join("\n");
}

function itemName(item: unknown): string {
  if (typeof item !== "object" || item === null) return formatValue(item);
  const record = item as Readonly<Record<string, unknown>>;
  const name = ["title", "name", "summary", "role", "id"]
    .map((key) => record[key])
    .find((value) => value !== undefined);
  return formatValue(name ?? item);
}

function formatValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function joinAndTruncate(parts: readonly string[]): string {
  const text = parts.filter(Boolean).join("\n\n");
  return text.length <= maxPromptLength
    ? text
    : text.slice(0, maxPromptLength - truncationMark.length) + truncationMark;
}

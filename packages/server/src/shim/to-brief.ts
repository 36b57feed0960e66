import type { Brief } from "@fairlead/contract";
import { AgentBrief } from "./agent-brief.ts";

/** The maximum length of a brief as text. The knowledge comes last in the goal, because it is the least important when cut. */
export const maxBriefLength = 8000;
/** The part of it that constraints may take. */
const maxConstraintsLength = 4000;
const maxTitleLength = 80;
/** What stands around the parts of a brief. */
const maxHeadingsLength = 100;
const itemPrefix = "\n- ";
const truncationMark = "[…]";

/**
 * Converts the protocol's brief to Fairlead's. `changedFields` names fields that an update changed; those that the protocol
 * does not define become lines of the goal.
 */
export function toBrief(brief: AgentBrief, changedFields: Iterable<string> = []): Brief {
  const { role, workstream, description, projectBrief, knowledgeSnapshot } = brief;
  const goals = [...brief.goals, ...(projectBrief?.goals ?? [])];
  const project = [projectBrief?.title, projectBrief?.description].filter(Boolean).join(": ");
  const title = truncate(description.trim().split("\n", 1)[0] || "A task", maxTitleLength);
  const constraints = truncateList([...brief.constraints, ...(projectBrief?.constraints ?? [])]);
  const others = [...changedFields].filter((name) => !Object.hasOwn(AgentBrief.shape, name) && name in brief);
  const sections = [
    role && `You are: ${role}`,
    workstream && `Workstream: ${workstream}`,
    description,
    project && `Project: ${project}`,
    formatList("Goals", goals),
    others.map((name) => `${name}: ${formatValue(brief[name])}`).join("\n"),
    formatKnowledge(knowledgeSnapshot),
  ];
  const otherLength = title.length + constraints.join(itemPrefix).length + maxHeadingsLength;
  const goal = truncate(sections.filter(Boolean).join("\n\n"), maxBriefLength - otherLength);
  return { title, goal, constraints, acceptance: [] };
}

function truncate(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(0, limit - truncationMark.length) + truncationMark;
}

/** Keeps the first items that fit. */
function truncateList(items: readonly string[]): string[] {
  let length = 0;
  const kept = items.filter((item) => (length += item.length + itemPrefix.length) <= maxConstraintsLength);
  return kept.length === items.length ? kept : [...kept, truncationMark];
}

function formatList(title: string, items: readonly string[]): string {
  return items.length === 0 ? "" : [`${title}:`, ...items].join(itemPrefix);
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

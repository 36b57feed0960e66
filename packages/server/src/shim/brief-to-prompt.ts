import type { AgentBrief } from "./agent-brief.ts";

/** How many characters a prompt may have. What is known comes last, because it is what can best be done without. */
export const promptCap = 8000;
const cut = "\n[…]";

/** A brief as a message to an agent. */
export function briefToPrompt(brief: AgentBrief): string {
  const { role, workstream, description, projectBrief, constraints, knowledgeSnapshot } = brief;
  const goals = [...brief.goals, ...(projectBrief?.goals ?? [])];
  const rules = [...constraints, ...(projectBrief?.constraints ?? [])];
  const project = [projectBrief?.title, projectBrief?.description].filter(Boolean).join(": ");
  return capped([
    role && `You are: ${role}`,
    workstream && `Workstream: ${workstream}`,
    description,
    project && `Project: ${project}`,
    list("Goals", goals),
    list("Constraints", rules),
    knowledge(knowledgeSnapshot),
  ]);
}

/** What has changed in a brief, as something to be told. */
export function briefChange(changes: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(changes).map(([name, value]) => `${name}: ${words(value)}`);
  return capped([`Your brief has changed. From now on this holds:`, lines.join("\n")]);
}

function list(title: string, items: readonly string[]): string {
  return items.length === 0 ? "" : [`${title}:`, ...items.map((item) => `- ${item}`)].join("\n");
}

/** Lists are summed up by their length and the names in them; everything else is said as it is. */
function knowledge(snapshot: unknown): string {
  if (snapshot === undefined || snapshot === null || snapshot === "") return "";
  if (typeof snapshot !== "object") return `What is known:\n${words(snapshot)}`;
  const lines = Object.entries(snapshot).flatMap(([name, value]: [string, unknown]) => {
    if (!Array.isArray(value)) return [`- ${name}: ${words(value)}`];
    if (value.length === 0) return [];
    return [`- ${name} (${value.length}): ${value.map(nameOf).join("; ")}`];
  });
  return lines.length === 0 ? "" : ["What is known:", ...lines].join("\n");
}

function nameOf(item: unknown): string {
  if (typeof item !== "object" || item === null) return words(item);
  const record = item as Readonly<Record<string, unknown>>;
  const name = ["title", "name", "summary", "role", "id"].map((key) => record[key]).find((one) => one !== undefined);
  return words(name ?? item);
}

function words(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function capped(parts: readonly string[]): string {
  const text = parts.filter(Boolean).join("\n\n");
  return text.length <= promptCap ? text : text.slice(0, promptCap - cut.length) + cut;
}

import type { AgentEventType, Capability } from "@fairlead/contract";

/** Events that come as often as the agent likes: a notice, a change of what is known, an approval by its own rules. */
const passing: readonly AgentEventType[] = [
  "status.reported",
  "session.changed",
  "tool.progressed",
  "plan.updated",
  "decision.requested",
  "decision.resolved",
];

/** Events that an agent without a capability does not have. */
const shownBy: Readonly<Partial<Record<Capability, readonly AgentEventType[]>>> = {
  tools: ["tool.requested", "tool.started", "tool.ended", "file.changed"],
  "file-events": ["file.changed"],
  reasoning: ["reasoning.ended"],
  usage: ["usage.reported"],
};

/** The kinds of events in their order, without those that pass, and with several reports of usage in a row as one. */
export function bones(kinds: readonly string[]): string[] {
  const lasting = kinds.filter((kind) => !passing.some((one) => one === kind));
  return lasting.filter((kind, at) => kind !== "usage.reported" || lasting[at - 1] !== kind);
}

/** The kinds that an agent is excused from, since it does not declare what shows them. */
export function excused(capabilities: readonly Capability[]): AgentEventType[] {
  return (Object.entries(shownBy) as [Capability, readonly AgentEventType[]][]).flatMap(([capability, kinds]) =>
    capabilities.includes(capability) ? [] : [...kinds],
  );
}

/** What every agent is measured by. */
export const wanted: readonly AgentEventType[] = [
  "session.started",
  "turn.started",
  ...(["file.changed", null, null] as const).flatMap((file): AgentEventType[] => [
    "tool.requested",
    "tool.started",
    ...(file === null ? [] : [file]),
    "tool.ended",
  ]),
  "text.ended",
  "usage.reported",
  "turn.ended",
  "session.ended",
];

/** Usage may be told after each step or at the end; where, is each agent's own. */
export function isSame(kinds: readonly string[], capabilities: readonly Capability[]): boolean {
  const without = new Set<string>([...excused(capabilities), "usage.reported"]);
  const plain = (some: readonly string[]): string => some.filter((kind) => !without.has(kind)).join(" ");
  const tellsUsage = kinds.includes("usage.reported") === capabilities.includes("usage");
  const asks = kinds.includes("decision.requested") === capabilities.includes("approvals");
  return plain(bones(kinds)) === plain(wanted) && tellsUsage && asks;
}

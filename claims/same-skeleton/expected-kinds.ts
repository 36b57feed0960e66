import type { AgentEventType, Capability } from "@fairlead/contract";

/**
 * Events of varying number: notices, changes of known properties, approvals by the agent's own rules, and a message that
 * came before the agent was ready.
 */
const optionalKinds: readonly AgentEventType[] = [
  "message.queued",
  "status.reported",
  "session.changed",
  "tool.progressed",
  "plan.updated",
  "decision.requested",
  "decision.resolved",
];

/** Events that an agent without a capability does not emit. */
const kindsByCapability: Readonly<Partial<Record<Capability, readonly AgentEventType[]>>> = {
  tools: ["tool.requested", "tool.started", "tool.ended", "file.changed"],
  "file-events": ["file.changed"],
  reasoning: ["reasoning.ended"],
  usage: ["usage.reported"],
};

/** The kinds of events in order, without varying ones, and with consecutive usage reports merged. */
export function findEssentialKinds(kinds: readonly string[]): string[] {
  const essential = kinds.filter((kind) => !optionalKinds.some((one) => one === kind));
  return essential.filter((kind, at) => kind !== "usage.reported" || essential[at - 1] !== kind);
}

/** The kinds that an agent does not emit because it does not declare the capability. */
export function listExcusedKinds(capabilities: readonly Capability[]): AgentEventType[] {
  return (Object.entries(kindsByCapability) as [Capability, readonly AgentEventType[]][]).flatMap(
    ([capability, kinds]) => (capabilities.includes(capability) ? [] : [...kinds]),
  );
}

/** The sequence that every agent is compared with. */
export const expectedKinds: readonly AgentEventType[] = [
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

/** Agents report usage after each step or at the end. */
export function matchesExpected(kinds: readonly string[], capabilities: readonly Capability[]): boolean {
  const ignored = new Set<string>([...listExcusedKinds(capabilities), "usage.reported"]);
  const toText = (subset: readonly string[]): string => subset.filter((kind) => !ignored.has(kind)).join(" ");
  const usageMatches = kinds.includes("usage.reported") === capabilities.includes("usage");
  const approvalsMatch = kinds.includes("decision.requested") === capabilities.includes("approvals");
  return toText(findEssentialKinds(kinds)) === toText(expectedKinds) && usageMatches && approvalsMatch;
}

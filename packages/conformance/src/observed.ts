import type { Capability, Delta, Event } from "@fairlead/contract";

type Told = readonly (Event | Delta)[];

/** How each capability shows in what an agent does. One that cannot be seen passively shows in its scenario alone. */
const signs: Readonly<Partial<Record<Capability, (told: Told) => boolean>>> = {
  streaming: (told) => told.some((one) => "type" in one && one.type === "text.delta"),
  reasoning: (told) => has(told, "reasoning.ended"),
  tools: (told) => has(told, "tool.requested"),
  "parallel-tools": (told) => mostOpen(told) > 1,
  "file-events": (told) => has(told, "file.changed"),
  approvals: (told) =>
    told.some((one) => "body" in one && one.body.type === "decision.requested" && one.body.kind === "approval"),
  questions: (told) =>
    told.some((one) => "body" in one && one.body.type === "decision.requested" && one.body.kind === "question"),
  "take-over": (told) => told.some((one) => "type" in one && one.type === "screen"),
  usage: (told) => has(told, "usage.reported"),
  cost: (told) => told.some((one) => "body" in one && one.body.type === "usage.reported" && one.body.cost !== null),
};

/** Differences between what is declared and what was seen, as sentences. */
export function drift(declared: readonly Capability[], sessions: readonly Told[]): string[] {
  return (Object.entries(signs) as [Capability, (told: Told) => boolean][]).flatMap(([capability, shows]) => {
    const seen = sessions.some(shows);
    if (seen === declared.includes(capability)) return [];
    return [seen ? `${capability} was observed and is not declared` : `${capability} is declared and was not observed`];
  });
}

function has(told: Told, type: Event["body"]["type"]): boolean {
  return told.some((one) => "body" in one && one.body.type === type);
}

function mostOpen(told: Told): number {
  let open = 0;
  let most = 0;
  for (const one of told) {
    if (!("body" in one)) continue;
    if (one.body.type === "tool.requested") most = Math.max(most, (open += 1));
    if (one.body.type === "tool.ended") open -= 1;
  }
  return most;
}

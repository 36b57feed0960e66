import type { RunEvent } from "@fairlead/api";

/** The sessions of the agents of a run, and those of shells whose command has not ended. */
export function listRunSessions(events: readonly RunEvent[]): {
  readonly agents: string[];
  readonly openShells: string[];
} {
  const agents = new Set<string>();
  const openShells = new Set<string>();
  for (const { body } of events) {
    if (body.type === "task.started" || body.type === "join.started" || body.type === "review.started")
      agents.add(body.session);
    if (body.type === "command.started") openShells.add(body.session);
    if (body.type === "acceptance.ended") for (const { session } of body.commands) openShells.delete(session);
  }
  return { agents: [...agents], openShells: [...openShells] };
}

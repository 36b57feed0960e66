import type { AgentEvent } from "@fairlead/contract";
import type { Home } from "@fairlead/runtime";
import { writeHistories } from "@fairlead/testing/runtime/write-histories.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A session of the last seven days: turns with usage, of which some fail, and requests that wait. */
function bodiesOf(index: number, model: string, turns: number): AgentEvent[] {
  return Array.from({ length: turns }, (_, turn): AgentEvent[] => {
    const size = 1 + ((index * 7 + turn * 3) % 11);
    const id = `t${turn}`;
    return [
      { type: "turn.started", turn: id, input: "Work.", origin: "user" },
      { type: "decision.requested", decision: `d${turn}`, kind: "approval", title: "Run it?" },
      { type: "decision.resolved", decision: `d${turn}`, outcome: "allowed", by: { kind: "person", label: "dana" } },
      {
        type: "usage.reported",
        provider: "p",
        model,
        tokens: { uncached: 9000 * size, cacheRead: 71_000 * size, cacheWrite: 0, output: 2500 * size, reasoning: 0 },
        cost: index % 3 === 2 ? null : { amount: 0.11 * size, currency: "USD" },
        provenance: index % 4 === 3 ? "derived" : "reported",
      },
      {
        type: "turn.ended",
        turn: id,
        outcome: turn % 9 === 4 ? "failed" : turn % 7 === 3 ? "interrupted" : "completed",
      },
    ];
  }).flat();
}

export interface UsageShape {
  readonly sessions: number;
  readonly turns: number;
  readonly nameOf: (index: number) => { readonly agent: string; readonly model: string; readonly workspace: string };
}

/** A week of a few sessions with three agents. */
export const usualUsage: UsageShape = {
  sessions: 24,
  turns: 9,
  nameOf: (index) => ({
    agent: ["planner", "builder", "reviewer"][index % 3] ?? "",
    model: ["large-5", "small-5", "large-4"][(index >> 1) % 3] ?? "",
    workspace: `/home/dana/${["shop", "site", "lang"][(index >> 2) % 3] ?? ""}`,
  }),
};

/** A week of a hundred agents, models and workspaces, of which some have long names. */
export const muchUsage: UsageShape = {
  sessions: 100,
  turns: 6,
  nameOf: (index) => {
    const end = index % 5 === 0 ? "-with-a-name-that-goes-much-further-than-any-column-of-a-table-can-be-wide" : "";
    return { agent: `agent-${index}${end}`, model: `model-${index}${end}`, workspace: `/home/dana/${index}${end}` };
  },
};

/** Writes sessions with usage of the last seven days, in working hours. */
export async function writeUsage(home: Home, { sessions, turns, nameOf }: UsageShape): Promise<void> {
  const today = new Date().setHours(0, 0, 0, 0);
  await writeHistories(
    home,
    Array.from({ length: sessions }, (_, index) => {
      const { agent, model, workspace } = nameOf(index);
      const day = index % 7;
      const at = day === 0 ? Date.now() - 4 * hourMs : today - day * 24 * hourMs + (9 + (index % 5)) * hourMs;
      const bodies: AgentEvent[] = [
        ...bodiesOf(index, model, turns),
        { type: "session.ended", reason: "stopped", exit: null },
      ];
      return { session: `u${index}`, name: `work-${index}`, agent, workspace, at, stepMs: 3 * minuteMs, bodies };
    }),
  );
}

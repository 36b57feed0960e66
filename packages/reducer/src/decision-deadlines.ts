import type { AgentEvent, Opening } from "@fairlead/contract";
import type { Emitter } from "./emitter.ts";

/** How the names of the alarms of deadlines begin. Spools contain the names. */
const namePrefix = "fairlead.deadline-";

/** A decision whose deadline is set, and the name of its alarm. */
export interface DecisionDeadline {
  readonly decision: string;
  readonly alarm: string;
}

/** The message of a decision that was resolved by its deadline. The agent gets it, if it can. */
export const deadlinePassed = "Nobody answered the request before its deadline.";

/** Sets an alarm for each decision with a deadline, and clears it when the decision is resolved. */
export const decisionDeadlines = {
  /** Follows an event that was emitted. `key` names it within the spool: an agent may use the id of a decision again. */
  follow(emitter: Emitter, body: AgentEvent, key: string): void {
    const { deadlines, opening } = emitter.state;
    if (body.type === "decision.requested" && body.deadline !== undefined) {
      const alarm = `${namePrefix}${key}`;
      emitter.state = { ...emitter.state, deadlines: [...deadlines, { decision: body.decision, alarm }] };
      emitter.enqueueEffect({ type: "alarm", name: alarm, after: deadlineOf(opening) });
    }
    if (body.type !== "decision.resolved" || deadlines.length === 0) return;
    const set = deadlines.find(({ decision }) => decision === body.decision);
    if (set === undefined) return;
    emitter.state = { ...emitter.state, deadlines: deadlines.filter((one) => one !== set) };
    emitter.enqueueEffect({ type: "disarm", name: set.alarm });
  },

  isAlarm: (name: string): boolean => name.startsWith(namePrefix),

  /** Returns the decision whose deadline an alarm reports, or null if the decision was resolved before. */
  findDecision: ({ state }: Emitter, name: string): string | null =>
    state.deadlines.find(({ alarm }) => alarm === name)?.decision ?? null,
};

const deadlineOf = (opening: Opening | null): number => (opening?.policy?.deadlineSeconds ?? 0) * 1000;

import type { Event, EventOf, Question } from "@fairlead/contract";

/** A decision as it was asked, and whether it still waits. */
export interface Asked {
  readonly kind: "approval" | "question";
  readonly questions: readonly Question[];
  readonly open: boolean;
}

/** What has to be remembered of a session's events to tell the next one: a fold, and nothing else. */
export interface ShimState {
  /** The number of the newest event that it knows of. */
  readonly last: number;
  /** How many events were told. */
  readonly told: number;
  readonly workspace: string;
  readonly calls: Readonly<Record<string, { readonly name: string; readonly input: unknown; readonly ran: boolean }>>;
  readonly decisions: Readonly<Record<string, Asked>>;
  /** Paths of the files that were produced or modified. */
  readonly files: readonly string[];
  /** What the agent said last in this turn. */
  readonly said: string;
  /** The turn that is going on, and how far it is in percent. */
  readonly turn: { readonly id: string; readonly percent: number } | null;
  /** How the last turn ended, if none is going on. */
  readonly outcome: EventOf<"turn.ended">["outcome"] | null;
  /** Things said, thought and done, whole: by these a script's position is known. */
  readonly parts: number;
  readonly paused: boolean;
  readonly ended: EventOf<"session.ended">["reason"] | null;
}

export const nothingYet: ShimState = {
  last: 0,
  told: 0,
  workspace: "/",
  calls: {},
  decisions: {},
  files: [],
  said: "",
  turn: null,
  outcome: null,
  parts: 0,
  paused: false,
  ended: null,
};

export function advance(state: ShimState, { sequence, body }: Event): ShimState {
  return { ...state, ...changeOf(state, body), last: sequence };
}

function changeOf(state: ShimState, body: Event["body"]): Partial<ShimState> {
  const { calls, decisions, files, parts, turn } = state;
  switch (body.type) {
    case "session.started":
      return { workspace: body.workspace };
    case "session.paused":
      return { paused: true };
    case "session.resumed":
      return { paused: false };
    case "session.ended":
      return { ended: body.reason, turn: null };
    case "turn.started":
      return { turn: { id: body.turn, percent: 0 }, outcome: null, said: "" };
    case "turn.ended":
      return { turn: null, outcome: body.outcome, calls: {} };
    case "text.ended":
      return body.parent === undefined ? { said: body.text, parts: parts + 1 } : {};
    case "reasoning.ended":
      return { parts: parts + 1 };
    case "plan.updated":
      return turn === null ? {} : { turn: { ...turn, percent: percentOf(body) } };
    case "tool.requested":
      return { calls: { ...calls, [body.call]: { name: body.name, input: body.input, ran: false } } };
    case "tool.started": {
      const call = calls[body.call];
      return call === undefined ? {} : { calls: { ...calls, [body.call]: { ...call, ran: true } } };
    }
    case "tool.ended":
      return body.reason === "interrupted" || body.reason === "unfinished" ? {} : { parts: parts + 1 };
    case "file.changed":
      return body.change === "deleted" ? {} : { files: [...new Set([...files, body.path])] };
    case "decision.requested": {
      const asked: Asked = { kind: body.kind, questions: body.questions ?? [], open: true };
      return { decisions: { ...decisions, [body.decision]: asked } };
    }
    case "decision.resolved": {
      const asked = decisions[body.decision];
      return asked === undefined ? {} : { decisions: { ...decisions, [body.decision]: { ...asked, open: false } } };
    }
    default:
      return {};
  }
}

/** How far a plan is, in percent. */
export function percentOf({ steps }: EventOf<"plan.updated">): number {
  const done = steps.filter(({ state }) => state === "done").length;
  return steps.length === 0 ? 0 : Math.round((100 * done) / steps.length);
}

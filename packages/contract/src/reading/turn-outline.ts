import { z } from "zod";
import { endBefore } from "../event-size.ts";
import type { Event, EventDraft } from "../event.ts";
import type { EventOf } from "../agent-event.ts";
import { addTokenCounts, TokenCounts, zeroTokenCounts } from "../events/report.ts";
import { TurnEnded, TurnStarted } from "../events/turn.ts";
import { emptyKeyedMap, keyedMap, type KeyedMap } from "../json/keyed-map.ts";
import { stripContext } from "./message-context.ts";

/** What happened in one turn, in one line. */
export const TurnSummary = z.strictObject({
  turn: z.string(),
  /** From 1, in the order of the turns. */
  number: z.int().positive(),
  /** The sequence of its `turn.started`. */
  first: z.int().positive(),
  /** The sequence of its newest event: of `turn.ended`, if it has ended. */
  last: z.int().positive(),
  origin: TurnStarted.shape.origin,
  startedAt: z.iso.datetime(),
  /** Null while it is open. */
  endedAt: z.iso.datetime().nullable(),
  outcome: TurnEnded.shape.outcome.nullable(),
  /** The beginning of the message without its context, as one line. Empty if the agent started the turn without a message. */
  title: z.string(),
  /** The number of files that changed in it. */
  files: z.int().nonnegative(),
  calls: z.int().nonnegative(),
  /** Calls that failed or never ended. A call that was denied or interrupted is none: a person or a rule wanted it so. */
  failedCalls: z.int().nonnegative(),
  /** Milliseconds in which at least one decision was open, without the wait that has not ended. */
  waitMs: z.int().nonnegative(),
  /** When the turn began to wait for an answer; null if it does not wait. */
  waitingSince: z.iso.datetime().nullable(),
  /** Usage of the turn, and what the agent reported after its end and before the next turn. */
  tokens: TokenCounts,
  /** In US dollars, as the agent reported it; null if it reported none. */
  cost: z.number().nullable(),
});
export type TurnSummary = z.infer<typeof TurnSummary>;

/**
 * The state of a fold over the events of a session, of which each turn gets a summary. Plain JSON. It has the newest turn
 * only, so that its size does not depend on the number of events and turns.
 */
export interface TurnOutline {
  /** The sequence of the newest event in it. */
  readonly last: number;
  /** The number of turns. */
  readonly count: number;
  /** The newest turn. It is complete when the next one starts. */
  readonly turn: TurnSummary | null;
  readonly workspace: string;
  /** The files that changed in the newest turn. */
  readonly files: KeyedMap<true>;
  /** The open decisions. */
  readonly waiting: KeyedMap<true>;
}

export const emptyTurnOutline: TurnOutline = {
  last: 0,
  count: 0,
  turn: null,
  workspace: "",
  files: emptyKeyedMap,
  waiting: emptyKeyedMap,
};

const maxTitleLength = 200;

/** Adds the next event of the session to its outline. A caller that wants all turns keeps `turn` by its number. */
export function addToOutline(outline: TurnOutline, event: Event): TurnOutline {
  const { body, sequence: last } = event;
  if (body.type === "session.started") return { ...outline, last, workspace: body.workspace };
  if (body.type === "turn.started") return startTurn(outline, event, body);
  const { turn } = outline;
  if (turn === null) return { ...outline, last };
  if (body.type === "usage.reported") return { ...outline, last, turn: addUsage(reach(turn, last), body) };
  if (turn.endedAt !== null) return { ...outline, last };
  return { ...addToOpenTurn(outline, reach(turn, last), event), last };
}

function startTurn({ count, workspace }: TurnOutline, event: Event, body: EventOf<"turn.started">): TurnOutline {
  const { sequence, occurredAt: startedAt } = event;
  const number = count + 1;
  const turn: TurnSummary = {
    turn: body.turn,
    number,
    first: sequence,
    last: sequence,
    origin: body.origin,
    startedAt,
    endedAt: null,
    outcome: null,
    title: toTitle(body.input),
    files: 0,
    calls: 0,
    failedCalls: 0,
    waitMs: 0,
    waitingSince: null,
    tokens: zeroTokenCounts,
    cost: null,
  };
  return { last: sequence, count: number, turn, workspace, files: emptyKeyedMap, waiting: emptyKeyedMap };
}

function isFailure({ ok, reason }: EventOf<"tool.ended">): boolean {
  return !ok && reason !== "denied" && reason !== "interrupted";
}

function reach(turn: TurnSummary, last: number): TurnSummary {
  return turn.endedAt === null ? { ...turn, last } : turn;
}

function addToOpenTurn(outline: TurnOutline, turn: TurnSummary, { body, occurredAt }: EventDraft): TurnOutline {
  switch (body.type) {
    case "turn.ended":
      return { ...outline, turn: { ...turn, endedAt: occurredAt, outcome: body.outcome } };
    case "tool.requested":
      return { ...outline, turn: { ...turn, calls: turn.calls + 1 } };
    case "tool.ended":
      return isFailure(body) ? { ...outline, turn: { ...turn, failedCalls: turn.failedCalls + 1 } } : outline;
    case "file.changed": {
      const files = keyedMap.set(outline.files, withoutFolder(body.path, outline.workspace), true);
      return { ...outline, files, turn: { ...turn, files: files.size } };
    }
    case "decision.requested": {
      const waiting = keyedMap.set(outline.waiting, body.decision, true);
      return { ...outline, waiting, turn: { ...turn, waitingSince: turn.waitingSince ?? occurredAt } };
    }
    case "decision.resolved": {
      const waiting = keyedMap.remove(outline.waiting, body.decision);
      return { ...outline, waiting, turn: waiting.size === 0 ? endWait(turn, occurredAt) : turn };
    }
    default:
      return { ...outline, turn };
  }
}

/** The clock of the machine may have been set back. */
function endWait(turn: TurnSummary, now: string): TurnSummary {
  if (turn.waitingSince === null) return turn;
  const waitMs = turn.waitMs + Math.max(0, Date.parse(now) - Date.parse(turn.waitingSince));
  return { ...turn, waitMs, waitingSince: null };
}

function addUsage(turn: TurnSummary, { tokens, cost }: EventOf<"usage.reported">): TurnSummary {
  return {
    ...turn,
    tokens: addTokenCounts(turn.tokens, tokens),
    cost: cost === null ? turn.cost : (turn.cost ?? 0) + cost.amount,
  };
}

/** An agent names a file by its whole path, and Fairlead by the path in the workspace. */
function withoutFolder(path: string, folder: string): string {
  return folder !== "" && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

function toTitle(input: string): string {
  // Of a long message, only the beginning is searched for line ends.
  const beginning = stripContext(input)
    .trimStart()
    .slice(0, 4 * maxTitleLength);
  const line = beginning.replaceAll(/[\s\x85]+/g, " ").trim();
  return line.length <= maxTitleLength ? line : line.slice(0, endBefore(line, maxTitleLength));
}

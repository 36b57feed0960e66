import {
  briefInRoom,
  isOpen,
  openTurn,
  type AgentEvent,
  type Brief,
  type CommandOf,
  type Manifest,
  type Opening,
} from "@fairlead/contract";
import { briefPrompt, briefUpdatePrompt } from "@fairlead/kit";
import { declaredCapabilities } from "../capability-rejections.ts";
import type { Emitter } from "../emitter.ts";
import type { FencedDialect } from "../fenced-dialect.ts";
import type { SessionState } from "../session-state.ts";

/** The brief of a session, and whether the agent has it. */
export interface BriefState {
  readonly current: Brief | null;
  /** Whether the agent's conversation has the current brief. True without a brief. */
  readonly isTold: boolean;
  /** The open turn that the current brief was sent into; null if it was sent into none. */
  readonly steeredTurn: string | null;
  /** Whether the agent has accepted the brief in that turn. */
  readonly isAccepted: boolean;
}

export const initialBriefState: BriefState = { current: null, isTold: true, steeredTurn: null, isAccepted: false };

/** Formats the brief that a session is started with as its first message. */
export function firstBriefMessage({ brief, rooms }: Pick<Opening, "brief" | "rooms">): string | null {
  return brief === undefined ? null : briefPrompt(brief, roomPaths(brief, rooms));
}

/** Returns the current brief as context for the next message. Empty if the agent has it, or there is none. */
export function untoldBrief({ brief, opening }: Pick<SessionState, "brief" | "opening">): readonly string[] {
  return brief.current === null || brief.isTold ? [] : [updateText(brief.current, opening)];
}

/**
 * The session's brief. The agent gets an updated brief once: in the open turn, if it can take a message there, or with the
 * next message that is delivered. Of several updates before that message, the last one is sent.
 */
export const sessionBrief = {
  /** Begins with the brief of the opening. A new conversation gets it as the first message; a continued one knows it. */
  opened(emitter: Emitter, { brief, continues }: Opening): void {
    if (brief === undefined) return;
    const state = { ...initialBriefState, current: brief, isTold: continues !== null };
    emitter.state = { ...emitter.state, brief: state };
  },

  updated(emitter: Emitter, dialect: FencedDialect, manifest: Manifest, command: CommandOf<"update-brief">): void {
    // The room of a session never changes.
    const brief = briefInRoom(command.brief, emitter.state.opening?.room);
    emitter.state = { ...emitter.state, brief: { ...initialBriefState, current: brief, isTold: false } };
    emitter.emitOwn({ type: "brief.updated", brief });
    if (!canSteer(emitter.state, manifest)) return;
    const handled = dialect.compute(emitter, { type: "steer", text: updateText(brief, emitter.state.opening) });
    if ("failure" in handled) return; // the next message has it
    const steeredTurn = openTurn(emitter.state.ledger);
    emitter.state = { ...emitter.state, brief: { ...emitter.state.brief, steeredTurn } };
    dialect.apply(emitter, handled.result);
  },

  /** Follows a turn that the brief was sent into. The agent may not have read it if the turn was cut off. */
  follow(emitter: Emitter, body: AgentEvent): void {
    const { brief, opening } = emitter.state;
    if (brief.steeredTurn === null || brief.current === null) return;
    if (body.type === "turn.steered" && body.text === updateText(brief.current, opening))
      emitter.state = { ...emitter.state, brief: { ...brief, isAccepted: true } };
    if (body.type !== "turn.ended" || body.turn !== brief.steeredTurn) return;
    const isTold = brief.isAccepted && body.outcome === "completed";
    emitter.state = { ...emitter.state, brief: { ...initialBriefState, current: brief.current, isTold } };
  },

  /** Returns the context with which a message tells the current brief. Empty if the message is the brief. */
  contextFor(state: SessionState, message: string): readonly string[] {
    const { current, isTold } = state.brief;
    if (current === null || isTold) return [];
    return message === briefPrompt(current, roomPaths(current, state.opening?.rooms)) ? [] : untoldBrief(state);
  },

  /** Notes whether the agent has the brief: when a message with it is delivered or returned. */
  markTold(emitter: Emitter, isTold: boolean): void {
    emitter.state = { ...emitter.state, brief: { ...emitter.state.brief, isTold } };
  },
};

function canSteer(state: SessionState, manifest: Manifest): boolean {
  const { ledger, desiredState, running, exiting, stdinClosed } = state;
  const isReachable = desiredState === "run" && running && !exiting && !stdinClosed && !isOpen(ledger, "lead");
  return isReachable && isOpen(ledger, "turn") && declaredCapabilities(state, manifest).includes("steer");
}

function updateText(brief: Brief, opening: SessionState["opening"]): string {
  return briefUpdatePrompt(brief, roomPaths(brief, opening?.rooms));
}

function roomPaths({ room }: Brief, rooms: Opening["rooms"] = {}): readonly string[] {
  return room === undefined || !Object.hasOwn(rooms, room) ? [] : (rooms[room] ?? []);
}

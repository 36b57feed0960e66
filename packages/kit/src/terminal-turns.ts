import type { EventOf } from "@fairlead/contract";
import { noCalls, type Calls } from "./calls.ts";
import type { TransitionWriter } from "./transition-writer.ts";

/** The part of a dialect's state that reads turns of the agent's own terminal. States of older versions lack the fields. */
export interface TerminalTurnState {
  readonly calls: Calls;
  /** The open turn of the terminal. */
  readonly terminalTurn?: string | null;
  /** Number of turns of terminals so far. */
  readonly terminalTurnCount?: number;
}

type Writer<State extends TerminalTurnState> = TransitionWriter<State>;

/** Starts a turn that a person typed in the agent's own terminal. Ends the turn before it, if it is open. */
export function terminalTurnStarted<State extends TerminalTurnState>(writer: Writer<State>, input: string): void {
  terminalTurnEnded(writer, "completed");
  const terminalTurnCount = (writer.state.terminalTurnCount ?? 0) + 1;
  const turn = `terminal-${terminalTurnCount}`;
  writer.state = { ...writer.state, terminalTurn: turn, terminalTurnCount };
  writer.event({ type: "turn.started", turn, input, origin: "terminal", source: "transcript" });
}

/** Ends the open turn of the terminal. Does nothing if none is open. */
export function terminalTurnEnded<State extends TerminalTurnState>(
  writer: Writer<State>,
  outcome: EventOf<"turn.ended">["outcome"],
): void {
  const turn = writer.state.terminalTurn ?? null;
  if (turn === null) return;
  writer.state = { ...writer.state, terminalTurn: null, calls: noCalls };
  writer.event({ type: "turn.ended", turn, outcome });
}

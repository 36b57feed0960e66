import type { AgentCommand, Dialect, Observation, TranscriptPart } from "@fairlead/contract";
import { watchdog, type WatchdogState } from "./watchdog.ts";
import type { TransitionWriter } from "./transition-writer.ts";
import { defineDialect } from "./define-dialect.ts";

/** Creates a dialect that interrupts, and then kills, a turn whose model fails or is silent for too long. */
export function dialectWithWatchdog<State extends WatchdogState>(parts: {
  readonly initialState: State;
  /** How long the model may fail or be silent, in milliseconds. */
  readonly deadline: number;
  readonly observe: (writer: TransitionWriter<State>, observation: Observation) => void;
  readonly handle: (writer: TransitionWriter<State>, command: AgentCommand) => void;
  /** Reads turns of the agent's own terminal. The watchdog does not watch them, because they are over. */
  readonly readTranscript?: (writer: TransitionWriter<State>, part: TranscriptPart) => void;
  /** Asks the agent to stop the turn, and sets `interrupting`. */
  readonly interruptTurn: (writer: TransitionWriter<State>) => void;
  /** Whether silence is expected. By default: while a call or a decision is open. */
  readonly isBusy?: (state: State) => boolean;
}): Dialect<State> {
  const { initialState, deadline } = parts;
  return defineDialect<State>({
    initialState,
    observe(writer, observation) {
      const before = writer.state;
      const { failure } = before;
      if (observation.kind === "line" && observation.stream === "out" && !before.activeSinceAlarm)
        writer.state = { ...before, activeSinceAlarm: true };
      if (
        observation.kind === "alarm" &&
        observation.name === watchdog.alarm &&
        watchdog.checkExpired(writer, deadline, parts.isBusy)
      ) {
        parts.interruptTurn(writer);
      }
      if (observation.kind === "alarm" && observation.name === watchdog.stopAlarm) watchdog.killUnresponsive(writer);
      if (observation.kind === "exited" && failure?.isFinal) writer.raise(failure);
      parts.observe(writer, observation);
      watchdog.updateAlarms(writer, before, deadline);
    },
    handle(writer, command) {
      const before = writer.state;
      parts.handle(writer, command);
      watchdog.updateAlarms(writer, before, deadline);
    },
    readTranscript: parts.readTranscript,
  });
}

import type { Dialect, Observation, AgentCommand, TranscriptPart } from "@fairlead/contract";
import { TransitionWriter } from "./transition-writer.ts";

/** Creates a dialect from functions that write a transition with a `TransitionWriter`. */
export function defineDialect<State extends object>(parts: {
  readonly initialState: State;
  readonly observe: (writer: TransitionWriter<State>, observation: Observation) => void;
  readonly handle: (writer: TransitionWriter<State>, command: AgentCommand) => void;
  readonly readTranscript?: ((writer: TransitionWriter<State>, part: TranscriptPart) => void) | undefined;
}): Dialect<State> {
  const { readTranscript } = parts;
  return {
    initialState: parts.initialState,
    observe(state, observation) {
      const writer = new TransitionWriter(state);
      parts.observe(writer, observation);
      return writer.transition;
    },
    handle(state, command) {
      const writer = new TransitionWriter(state);
      parts.handle(writer, command);
      return writer.transition;
    },
    ...(readTranscript && {
      readTranscript(state: State, part: TranscriptPart) {
        const writer = new TransitionWriter(state);
        readTranscript(writer, part);
        return writer.transition;
      },
    }),
  };
}

import type { Dialect, Heard, Asked } from "@fairlead/contract";
import { StepWriter } from "./step-writer.ts";

/** A dialect from two functions that each write one step. */
export function writtenDialect<State extends object>(parts: {
  readonly start: State;
  readonly hear: (writer: StepWriter<State>, heard: Heard) => void;
  readonly ask: (writer: StepWriter<State>, wish: Asked) => void;
}): Dialect<State> {
  return {
    start: parts.start,
    hear(state, heard) {
      const writer = new StepWriter(state);
      parts.hear(writer, heard);
      return writer.step;
    },
    ask(state, wish) {
      const writer = new StepWriter(state);
      parts.ask(writer, wish);
      return writer.step;
    },
  };
}

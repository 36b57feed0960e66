import type { Dialect, Heard, Asked } from "@fairlead/contract";
import { patience, patienceAlarm, stopAlarm, type Patient } from "./patience.ts";
import type { StepWriter } from "./step-writer.ts";
import { writtenDialect } from "./written-dialect.ts";

/** A dialect whose agent is waited for, but not for ever. */
export function patientDialect<State extends Patient>(parts: {
  readonly start: State;
  /** For how long its model may fail, or be silent, in milliseconds. */
  readonly deadline: number;
  readonly hear: (writer: StepWriter<State>, heard: Heard) => void;
  readonly ask: (writer: StepWriter<State>, wish: Asked) => void;
  /** Tells the agent to stop the turn, and remembers that it was told. */
  readonly stop: (writer: StepWriter<State>) => void;
  /** Whether its silence means nothing; while any call or question is open, unless told. */
  readonly isBusy?: (state: State) => boolean;
}): Dialect<State> {
  const { start, deadline } = parts;
  return writtenDialect<State>({
    start,
    hear(writer, heard) {
      const before = writer.state;
      const { trouble } = before;
      if (heard.kind === "line" && heard.stream === "out" && !before.heard) writer.state = { ...before, heard: true };
      if (heard.kind === "alarm" && heard.name === patienceAlarm && patience.isOver(writer, deadline, parts.isBusy)) {
        parts.stop(writer);
      }
      if (heard.kind === "alarm" && heard.name === stopAlarm) patience.disobeyed(writer);
      if (heard.kind === "exited" && trouble?.over) writer.raise(trouble);
      parts.hear(writer, heard);
      patience.keep(writer, before, deadline);
    },
    ask(writer, wish) {
      const before = writer.state;
      parts.ask(writer, wish);
      patience.keep(writer, before, deadline);
    },
  });
}

import type { Adapter } from "@fairlead/contract";
import type { KeeperRequest } from "@fairlead/keeper";
import type { SessionState } from "@fairlead/reducer";
import type { Environment } from "../host/child-environment.ts";
import { requestForNote } from "../actor/keeper-requests.ts";
import { measureTranscript, readTranscriptGain } from "./terminal-transcript.ts";

/**
 * Records what the agent's own transcript gains while a person uses its terminal. The session's state says which step is
 * due, so an actor that takes over a session continues the recording. Each step is done once per keeper.
 */
export class TerminalRecorder {
  readonly #adapter: Adapter;
  readonly #environment: Environment;
  /** Number of the record that began the step that was done last. */
  #doneStep = 0;

  constructor(adapter: Adapter, environment: Environment) {
    this.#adapter = adapter;
    this.#environment = environment;
  }

  /** Yields the requests of the step that is due. Their ids follow from the step, so the spool gets each note once. */
  async *takeDue(state: SessionState): AsyncGenerator<KeeperRequest> {
    const recording = state.terminalRecording;
    if (recording === null || recording.step === "open" || recording.since === this.#doneStep) return;
    this.#doneStep = recording.since;
    const id = `terminal-${recording.since}`;
    if (recording.step === "opening") {
      const transcript = await measureTranscript(this.#adapter, state, recording, this.#environment);
      yield requestForNote({ type: "terminal-opening", transcript }, id);
      return;
    }
    for await (const note of readTranscriptGain(this.#adapter, state, recording, this.#environment))
      yield requestForNote(note, `${id}-${note.from}`);
  }

  /** Makes the step due again. A new keeper knows only the notes whose records are in the spool. */
  resendAll(): void {
    this.#doneStep = 0;
  }
}

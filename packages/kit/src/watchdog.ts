import { keyedMap, type ErrorCategory, type KeyedMap } from "@fairlead/contract";
import type { Calls } from "./calls.ts";
import type { TransitionWriter } from "./transition-writer.ts";
import type { ConversationState } from "./conversation-state.ts";

/** A failure of an agent or of its model. */
export interface AgentFailure {
  readonly category: ErrorCategory;
  readonly message: string;
  /** The deadline passed: the turn, or the process, fails with this failure. */
  readonly isFinal: boolean;
}

/** The part of a dialect's state that a watchdog needs. */
export interface WatchdogState extends ConversationState {
  readonly calls: Calls;
  /** Open decisions. */
  readonly pendingDecisions: KeyedMap<unknown> | Readonly<Record<string, unknown>>;
  /** Whether the agent wrote output since the alarm was set. */
  readonly activeSinceAlarm: boolean;
  readonly failure: AgentFailure | null;
}

/** What differs between protocols. Spools contain the alarm names, so a protocol must not change its own. */
interface WatchdogOptions {
  /** Name of the alarm that checks for a silent or failing model. */
  readonly alarm: string;
  /**
   * Name of the alarm that checks whether an interrupted turn has stopped. A second name, because the first alarm may
   * have gone off just before the interrupt, and its observation must not kill the agent.
   */
  readonly stopAlarm: string;
  readonly silenceMessage: (deadline: number) => string;
}

/** How long an interrupted turn may take to stop, in milliseconds. */
const stopTimeoutMs = 10_000;
const stopFailure = { category: "timed-out", message: "The agent did not stop within 10 s of the interrupt." } as const;

/** Ends turns whose model fails and retries, or never answers. Without it such a turn has no end. Stateless. */
export class Watchdog {
  readonly alarm: string;
  readonly stopAlarm: string;
  readonly #silenceMessage: (deadline: number) => string;

  constructor({ alarm, stopAlarm, silenceMessage }: WatchdogOptions) {
    this.alarm = alarm;
    this.stopAlarm = stopAlarm;
    this.#silenceMessage = silenceMessage;
  }

  /** Sets the alarms when a turn starts or is interrupted, and disarms them when it ends. */
  updateAlarms<State extends WatchdogState>(writer: TransitionWriter<State>, before: State, deadline: number): void {
    const { current, interrupting } = writer.state;
    if (current === before.current) {
      if (interrupting && !before.interrupting) this.setStopAlarm(writer);
      return;
    }
    if (before.interrupting) writer.effect({ type: "disarm", name: this.stopAlarm });
    if (current === null) writer.effect({ type: "disarm", name: this.alarm });
    else {
      // An agent may start slowly, so only silence after the first alarm counts.
      updateState(writer, { activeSinceAlarm: true });
      this.setAlarm(writer, deadline);
    }
  }

  setAlarm<State extends WatchdogState>(writer: TransitionWriter<State>, after: number): void {
    writer.effect({ type: "alarm", name: this.alarm, after });
  }

  setStopAlarm<State extends WatchdogState>(writer: TransitionWriter<State>): void {
    writer.effect({ type: "alarm", name: this.stopAlarm, after: stopTimeoutMs });
  }

  /** Records that the model failed and the agent retries. The deadline counts from the first failure. */
  modelRetrying<State extends WatchdogState>(
    writer: TransitionWriter<State>,
    deadline: number,
    failure: Omit<AgentFailure, "isFinal">,
  ): void {
    if (writer.state.failure?.isFinal) return;
    if (writer.state.failure === null) this.setAlarm(writer, deadline);
    updateState(writer, { failure: { ...failure, isFinal: false } });
  }

  /** Postpones the alarm for work that takes long and produces no output. */
  extendDeadline<State extends WatchdogState>(writer: TransitionWriter<State>, time: number): void {
    if (writer.state.current !== null && writer.state.failure === null) this.setAlarm(writer, time);
  }

  /** Records that the model answered: clears a failure that is not final. */
  modelAnswered<State extends WatchdogState>(writer: TransitionWriter<State>): void {
    if (writer.state.failure?.isFinal === false) updateState(writer, { failure: null });
  }

  /** Handles the alarm. Returns true if the deadline passed and the dialect must interrupt the turn. */
  checkExpired<State extends WatchdogState>(
    writer: TransitionWriter<State>,
    deadline: number,
    isBusy: (state: State) => boolean = hasOpenWork,
  ): boolean {
    const { current, interrupting, failure, activeSinceAlarm } = writer.state;
    if (current === null || interrupting) return false;
    if (failure === null && (activeSinceAlarm || isBusy(writer.state))) {
      updateState(writer, { activeSinceAlarm: false });
      this.setAlarm(writer, deadline);
      return false;
    }
    const cause = failure ?? { category: "timed-out", message: this.#silenceMessage(deadline) };
    updateState(writer, { failure: { ...cause, isFinal: true } });
    return true;
  }

  /** Handles the stop alarm: kills an agent whose interrupted turn has not stopped. */
  killUnresponsive<State extends WatchdogState>(writer: TransitionWriter<State>): void {
    const { current, interrupting, failure } = writer.state;
    if (current === null || !interrupting) return;
    updateState(writer, { failure: { ...(failure ?? stopFailure), isFinal: true } });
    writer.effect({ type: "kill" });
  }
}

/** The alarm of `watchdog`. Recordings contain the name. */
export const watchdogAlarm = "retrying";

/** The watchdog of `dialectWithWatchdog`. */
export const watchdog = new Watchdog({
  alarm: watchdogAlarm,
  stopAlarm: "stopping",
  silenceMessage: (deadline) => `Its model has not been heard of for ${deadline / 1000} s.`,
});

/** Silence is expected while a tool runs or a person decides. */
function hasOpenWork({ calls, pendingDecisions }: WatchdogState): boolean {
  return keyedMap.size(calls) > 0 || keyedMap.size(pendingDecisions) > 0;
}

function updateState<State extends WatchdogState>(
  writer: TransitionWriter<State>,
  change: Partial<WatchdogState>,
): void {
  writer.state = { ...writer.state, ...change };
}

/** Returns how many retries fit into a time if the pauses double from `first` up to `longest`. */
export function retriesWithin(time: number, pauses: { readonly first: number; readonly longest: number }): number {
  let retries = 0;
  let pause = pauses.first;
  for (let elapsed = pause; elapsed <= time; elapsed += pause) {
    retries += 1;
    pause = Math.min(2 * pause, pauses.longest);
  }
  return retries;
}

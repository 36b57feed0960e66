import type { ErrorCategory } from "@fairlead/contract";
import type { Calls } from "./calls.ts";
import type { StepWriter } from "./step-writer.ts";
import type { Talk } from "./talk.ts";

/** What is wrong with an agent, or with its model. */
export interface Trouble {
  readonly category: ErrorCategory;
  readonly says: string;
  /** Nobody waits any more for it to pass: this is what the turn, or the process, fails of. */
  readonly over: boolean;
}

/** What has to be remembered to tell whether an agent has been waited for long enough. */
export interface Patient extends Talk {
  readonly calls: Calls;
  /** Open decisions. */
  readonly asks: Readonly<Record<string, unknown>>;
  /** Whether it was heard since the alarm was set. */
  readonly heard: boolean;
  readonly trouble: Trouble | null;
}

/** Goes off when it may have been silent, or in trouble, for too long. The name stands in recordings. */
export const patienceAlarm = "retrying";
/** Goes off when it was told to stop and has not. Not the same: the one may just have gone off when it is told to stop. */
export const stopAlarm = "stopping";
/** How long an agent may take to stop when it is told to, in milliseconds. */
const obedience = 10_000;

/** No turn lasts for ever: neither with a model that fails and is tried again, nor with one that never answers. */
export const patience = {
  /** Sets the alarms when a turn has begun or is to stop, and takes them off when it is over. */
  keep<State extends Patient>(writer: StepWriter<State>, before: State, deadline: number): void {
    const { current, interrupting } = writer.state;
    if (current === before.current) {
      if (!interrupting || before.interrupting) return;
      writer.effect({ type: "alarm", name: stopAlarm, after: obedience });
      return;
    }
    if (before.interrupting) writer.effect({ type: "disarm", name: stopAlarm });
    if (current === null) writer.effect({ type: "disarm", name: patienceAlarm });
    else {
      // An agent may be slow to start; so only what it leaves unsaid after the first alarm counts.
      set(writer, { heard: true });
      wait(writer, deadline);
    }
  },

  /** Its model failed, and it tries again. From the first failure on the time counts, whatever it says meanwhile. */
  troubled<State extends Patient>(writer: StepWriter<State>, deadline: number, trouble: Omit<Trouble, "over">): void {
    if (writer.state.trouble?.over) return;
    if (writer.state.trouble === null) wait(writer, deadline);
    set(writer, { trouble: { ...trouble, over: false } });
  },

  /** It does something that takes long, and says nothing meanwhile. */
  granted<State extends Patient>(writer: StepWriter<State>, time: number): void {
    if (writer.state.current !== null && writer.state.trouble === null) wait(writer, time);
  },

  /** Its model has answered. */
  relieved<State extends Patient>(writer: StepWriter<State>): void {
    if (writer.state.trouble?.over === false) set(writer, { trouble: null });
  },

  /** The first alarm went off. True when it has been waited for long enough and must be told to stop. */
  isOver<State extends Patient>(
    writer: StepWriter<State>,
    deadline: number,
    isBusy: (state: State) => boolean = isBusyWithAny,
  ): boolean {
    const { current, interrupting, trouble, heard } = writer.state;
    if (current === null || interrupting) return false;
    if (trouble === null && (heard || isBusy(writer.state))) {
      set(writer, { heard: false });
      wait(writer, deadline);
      return false;
    }
    set(writer, { trouble: { ...(trouble ?? silence(deadline)), over: true } });
    return true;
  },

  /** The second alarm went off: whoever has not stopped by now is ended. */
  disobeyed<State extends Patient>(writer: StepWriter<State>): void {
    const { current, interrupting, trouble } = writer.state;
    if (current === null || !interrupting) return;
    set(writer, { trouble: { ...(trouble ?? disobedience), over: true } });
    writer.effect({ type: "kill" });
  },
};

const disobedience = { category: "timed-out", says: "It did not stop when it was told to." } as const;

/** A call that runs, or a question to a person, may take its time. */
function isBusyWithAny({ calls, asks }: Patient): boolean {
  return Object.keys(calls).length > 0 || Object.keys(asks).length > 0;
}

function silence(deadline: number): Omit<Trouble, "over"> {
  return { category: "timed-out", says: `Its model has not been heard of for ${deadline / 1000} s.` };
}

function wait<State extends Patient>(writer: StepWriter<State>, after: number): void {
  writer.effect({ type: "alarm", name: patienceAlarm, after });
}

function set<State extends Patient>(writer: StepWriter<State>, change: Partial<Patient>): void {
  writer.state = { ...writer.state, ...change };
}

import { AgentEvent, type Adapter, type Dialect, type Observation, type Transition } from "@fairlead/contract";
import { parseJsonLine } from "@fairlead/kit";
import { FencedDialect } from "../../packages/reducer/src/fenced-dialect.ts";

/** Reads messages as if an agent never sent another type, and puts what it reads into events without a check. */
export function withUncheckedReads(adapter: Adapter): Adapter {
  return {
    ...adapter,
    open(opening) {
      const { dialect, ...conversation } = adapter.open(opening);
      return { ...conversation, dialect: readUnchecked(dialect) };
    },
  };
}

function readUnchecked(dialect: Dialect<unknown>): Dialect<unknown> {
  return {
    ...dialect,
    observe(state, observation): Transition<unknown> {
      const transition = dialect.observe(state, observation);
      const title = readTitle(observation);
      if (title === null) return transition;
      return {
        ...transition,
        events: [...(transition.events ?? []), { type: "status.reported", level: "info", message: title }],
      };
    },
  };
}

/** Returns the kind of a message, which is a text in all recordings. */
function readTitle(observation: Observation): string | null {
  const message = (observation.kind === "line" ? parseJsonLine(observation.text) : null) as AgentMessage | null;
  return message?.type?.startsWith("s") === true ? message.type : (message?.method ?? null);
}

interface AgentMessage {
  readonly type?: string;
  readonly method?: string;
}

/** Removes the fence around adapters, for a control in a process of its own. */
export function removeFence(): void {
  FencedDialect.prototype.observe = function observe(emitter, observation): boolean {
    const conversation = this.open(emitter);
    if ("failure" in conversation) throw new Error(conversation.failure);
    const {
      state,
      events = [],
      deltas = [],
      effects = [],
    } = conversation.result.dialect.observe(emitter.state.dialectState, observation);
    this.apply(emitter, { state, events, deltas, effects });
    return true;
  };
}

/** Makes the reducer accept every event, for a control in a process of its own. */
export function removeEventCheck(): void {
  AgentEvent.safeParse = (value) => ({ success: true, data: value as AgentEvent });
}

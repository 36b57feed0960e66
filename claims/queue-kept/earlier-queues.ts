import type { Adapter, AgentCommand, Dialect, Transition } from "@fairlead/contract";
import { messageQueue } from "../../packages/reducer/src/message-queue.ts";

/** Hands every message to the dialect at once and forgets it, as the reducer did before it kept the queue. */
export function handOverAtOnce(): void {
  messageQueue.takeDeliverable = (emitter) => {
    const [first, ...waitingMessages] = emitter.state.waitingMessages;
    emitter.state = { ...emitter.state, waitingMessages };
    return first ?? null;
  };
}

/** Gives the shell the queue that it had: an interrupt, a pause and an end empty it. The others still have theirs. */
export function adaptersWithOwnQueues(adapters: readonly Adapter[]): Adapter[] {
  return adapters.map((adapter) => (adapter.manifest.id === "shell" ? withOwnQueue(adapter) : adapter));
}

type Message = Extract<AgentCommand, { type: "send" }>;
interface QueueState {
  readonly inner: { readonly current: unknown };
  readonly queue: readonly Message[];
}

function withOwnQueue(adapter: Adapter): Adapter {
  return {
    ...adapter,
    open(opening) {
      const conversation = adapter.open(opening);
      return { ...conversation, dialect: queueingDialect(conversation.dialect) };
    },
  };
}

function queueingDialect(dialect: Dialect<unknown>): Dialect<QueueState> {
  const flush = (transition: Transition<unknown>, queue: readonly Message[]): Transition<QueueState> => {
    const inner = transition.state as QueueState["inner"];
    const [next, ...rest] = queue;
    if (inner.current !== null || next === undefined) return { ...transition, state: { inner, queue } };
    const following = flush(dialect.handle(inner, next), rest);
    return {
      state: following.state,
      events: [...(transition.events ?? []), ...(following.events ?? [])],
      deltas: [...(transition.deltas ?? []), ...(following.deltas ?? [])],
      effects: [...(transition.effects ?? []), ...(following.effects ?? [])],
    };
  };
  return {
    initialState: { inner: dialect.initialState as QueueState["inner"], queue: [] },
    observe: ({ inner, queue }, observation) => flush(dialect.observe(inner, observation), queue),
    handle({ inner, queue }, command) {
      if (command.type === "send" && inner.current !== null) return { state: { inner, queue: [...queue, command] } };
      const isStop = command.type === "interrupt" || command.type === "pause" || command.type === "end";
      return flush(dialect.handle(inner, command), isStop ? [] : queue);
    },
  };
}

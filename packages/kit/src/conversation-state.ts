import type { Continuation, Effect, EventOf } from "@fairlead/contract";
import type { TransitionWriter } from "./transition-writer.ts";

/** A message to an agent, and the turn that it starts. */
export interface UserMessage {
  readonly turn: string;
  readonly text: string;
}

/** The agent-independent part of a dialect's state: the conversation's id, the open turn and the message queue. */
export interface ConversationState {
  readonly agentSessionId: string | null;
  readonly model: string | null;
  /** The conversation to resume, until the agent reports that it is in it. */
  readonly expectedSessionId: string | null;
  /** Whether the agent must fork that conversation. */
  readonly forking: boolean;
  /** The message of the open turn. */
  readonly current: UserMessage | null;
  /** Messages for later turns. Agents merge a message sent during a turn into the turn, or drop it. */
  readonly queue: readonly UserMessage[];
  readonly interrupting: boolean;
  /** Number of turns that the agent started without a message. */
  readonly agentTurnCount: number;
}

/** The state before the first message. */
export const initialConversation: ConversationState = {
  agentSessionId: null,
  model: null,
  expectedSessionId: null,
  forking: false,
  current: null,
  queue: [],
  interrupting: false,
  agentTurnCount: 0,
};

/** The conversation that a new process must enter, or fork if `forking` is set. */
export type ConversationTarget = Pick<ConversationState, "agentSessionId" | "forking">;

type SendMessage = (message: UserMessage) => Effect;
type Writer<State extends ConversationState> = TransitionWriter<State>;

/**
 * Returns the conversation for the next process; its id is null for a new one. The state then expects the agent to
 * report that conversation, or a fork of it.
 */
export function planConversation<State extends ConversationState>(
  writer: Writer<State>,
  command: "open" | "resume",
  continues: Continuation | null,
): ConversationTarget {
  // A process that was paused before it reported its conversation must still enter the requested one.
  const agentSessionId = writer.state.agentSessionId ?? continues?.agentSessionId ?? null;
  const forking = writer.state.agentSessionId === null && agentSessionId !== null && continues?.fork === true;
  // Without an id there is nothing to prove. The agent reports one in the first turn.
  if (command === "resume" && agentSessionId === null)
    writer.event({ type: "session.resumed", outcome: "fresh", agentSessionId });
  updateState(writer, { expectedSessionId: agentSessionId, forking });
  return { agentSessionId, forking };
}

/** Sends a message to the agent, or queues it if a turn is open. */
export function submit<State extends ConversationState>(
  writer: Writer<State>,
  message: UserMessage,
  send: SendMessage,
): void {
  if (writer.state.current !== null) return updateState(writer, { queue: [...writer.state.queue, message] });
  updateState(writer, { current: message, interrupting: false });
  writer.effect(send(message));
  if (writer.state.expectedSessionId === null) userTurnStarted(writer, message);
}

/** Records a turn that the agent started without a message. */
export function agentTurnStarted<State extends ConversationState>(writer: Writer<State>): void {
  const agentTurnCount = writer.state.agentTurnCount + 1;
  const turn = `own-${agentTurnCount}`;
  updateState(writer, { agentTurnCount, current: { turn, text: "" } });
  writer.event({ type: "turn.started", turn, input: "", origin: "agent" });
}

/** Records the conversation that the agent reports. Proves a resume or fork, or fails it and kills the agent. */
export function sessionIdentified<State extends ConversationState>(
  writer: Writer<State>,
  agentSessionId: string,
  model: string | null,
): void {
  const { expectedSessionId, forking, current } = writer.state;
  if (agentSessionId !== writer.state.agentSessionId || model !== writer.state.model) {
    writer.event({ type: "session.changed", agentSessionId, ...(model !== null && { model }) });
    updateState(writer, { agentSessionId, model });
  }
  if (expectedSessionId === null) return;
  updateState(writer, { expectedSessionId: null, forking: false });
  if ((agentSessionId !== expectedSessionId) !== forking) {
    const message = forking
      ? `The agent continued conversation ${expectedSessionId} instead of forking it.`
      : `The agent started a new conversation instead of resuming ${expectedSessionId}.`;
    writer.raise({ category: "session-not-found", message }).effect({ type: "kill" });
    updateState(writer, { current: null, queue: [] });
    return;
  }
  writer.event({ type: "session.resumed", outcome: forking ? "forked" : "native", agentSessionId });
  if (current !== null) userTurnStarted(writer, current);
}

/** Ends the open turn and sends the next queued message. */
export function finishTurn<State extends ConversationState>(
  writer: Writer<State>,
  outcome: EventOf<"turn.ended">["outcome"],
  send: SendMessage,
): void {
  const { current, expectedSessionId } = writer.state;
  // Without a proven resume, turn.started was not written, so turn.ended must not be either.
  if (current !== null && expectedSessionId === null) writer.event({ type: "turn.ended", turn: current.turn, outcome });
  updateState(writer, { current: null, interrupting: false });
  flushQueue(writer, send);
}

/** Sends the first queued message. The others wait for the end of its turn. */
export function flushQueue<State extends ConversationState>(writer: Writer<State>, send: SendMessage): void {
  const [next, ...queue] = writer.state.queue;
  updateState(writer, { queue });
  if (next !== undefined) submit(writer, next, send);
}

function userTurnStarted<State extends ConversationState>(writer: Writer<State>, { turn, text }: UserMessage): void {
  writer.event({ type: "turn.started", turn, input: text, origin: "user" });
}

function updateState<State extends ConversationState>(writer: Writer<State>, change: Partial<ConversationState>): void {
  writer.state = { ...writer.state, ...change };
}

import type { Continuation, Effect, EventOf } from "@fairlead/contract";
import type { StepWriter } from "./step-writer.ts";

/** A message on its way to an agent. */
export interface Message {
  readonly turn: string;
  readonly text: string;
}

/** What a dialect remembers of a conversation whoever the agent is: whose turn it is, and which conversation. */
export interface Talk {
  readonly agentSessionId: string | null;
  readonly model: string | null;
  /** The conversation that the agent was told to resume and has not yet proven to be in. */
  readonly proving: string | null;
  /** Whether it was told to make a conversation of its own of that one. */
  readonly forking: boolean;
  readonly current: Message | null;
  /** Agents mix a message that comes in mid-turn into the turn, or drop it; so we hold it back until the turn is over. */
  readonly waiting: readonly Message[];
  readonly interrupting: boolean;
  /** Turns that the agent began by itself. */
  readonly own: number;
}

export const quietTalk: Talk = {
  agentSessionId: null,
  model: null,
  proving: null,
  forking: false,
  current: null,
  waiting: [],
  interrupting: false,
  own: 0,
};

/** Which conversation a process is to be in, and whether only to make one of its own of it. */
export type Entry = Pick<Talk, "agentSessionId" | "forking">;

type Speak = (message: Message) => Effect;
type Writer<State extends Talk> = StepWriter<State>;

/**
 * The conversation that a process about to be launched is to be in; null for a new one. That it really is in it, or in a
 * fork of it, is then for the agent to prove.
 */
export function entered<State extends Talk>(
  writer: Writer<State>,
  wish: "open" | "resume",
  continues: Continuation | null,
): Entry {
  // One that was let go of before it ever said where it was has still to go where it was sent.
  const agentSessionId = writer.state.agentSessionId ?? continues?.agentSessionId ?? null;
  const forking = writer.state.agentSessionId === null && agentSessionId !== null && continues?.fork === true;
  // Without a name there is nothing to prove, and the first turn will give it one.
  if (wish === "resume" && agentSessionId === null)
    writer.event({ type: "session.resumed", outcome: "fresh", agentSessionId });
  set(writer, { proving: agentSessionId, forking });
  return { agentSessionId, forking };
}

/** Says a message to the agent, or holds it back until the turn is over. */
export function takeUp<State extends Talk>(writer: Writer<State>, message: Message, speak: Speak): void {
  if (writer.state.current !== null) return set(writer, { waiting: [...writer.state.waiting, message] });
  set(writer, { current: message, interrupting: false });
  writer.effect(speak(message));
  if (writer.state.proving === null) started(writer, message);
}

/** The agent has begun a turn that nobody asked for. */
export function byItself<State extends Talk>(writer: Writer<State>): void {
  const own = writer.state.own + 1;
  const turn = `own-${own}`;
  set(writer, { own, current: { turn, text: "" } });
  writer.event({ type: "turn.started", turn, input: "", origin: "agent" });
}

/** The agent has said which conversation it is in. Proves a resume, or shows it to be false. */
export function identified<State extends Talk>(
  writer: Writer<State>,
  agentSessionId: string,
  model: string | null,
): void {
  const { proving, forking, current } = writer.state;
  if (agentSessionId !== writer.state.agentSessionId || model !== writer.state.model) {
    writer.event({ type: "session.changed", agentSessionId, ...(model !== null && { model }) });
    set(writer, { agentSessionId, model });
  }
  if (proving === null) return;
  set(writer, { proving: null, forking: false });
  if ((agentSessionId !== proving) !== forking) {
    const message = forking
      ? `It was to fork ${proving} and went on in that instead.`
      : `It was to resume ${proving} and began a new conversation instead.`;
    writer.event({ type: "error.raised", category: "session-not-found", message }).effect({ type: "kill" });
    set(writer, { current: null, waiting: [] });
    return;
  }
  writer.event({ type: "session.resumed", outcome: forking ? "forked" : "native", agentSessionId });
  if (current !== null) started(writer, current);
}

/** The turn is over. What was held back is said now. */
export function turnOver<State extends Talk>(
  writer: Writer<State>,
  outcome: EventOf<"turn.ended">["outcome"],
  speak: Speak,
): void {
  const { current, proving } = writer.state;
  // A turn that was never taken up, since the conversation could not be resumed, has no end either.
  if (current !== null && proving === null) writer.event({ type: "turn.ended", turn: current.turn, outcome });
  set(writer, { current: null, interrupting: false });
  goOn(writer, speak);
}

/** Says the first of what was held back, now that the agent can hear it. */
export function goOn<State extends Talk>(writer: Writer<State>, speak: Speak): void {
  const [next, ...waiting] = writer.state.waiting;
  set(writer, { waiting });
  if (next !== undefined) takeUp(writer, next, speak);
}

function started<State extends Talk>(writer: Writer<State>, { turn, text }: Message): void {
  writer.event({ type: "turn.started", turn, input: text, origin: "user" });
}

function set<State extends Talk>(writer: Writer<State>, change: Partial<Talk>): void {
  writer.state = { ...writer.state, ...change };
}

import type { Effect, Transition } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { TransitionWriter } from "./transition-writer.ts";
import {
  agentTurnStarted,
  planConversation,
  flushQueue,
  sessionIdentified,
  initialConversation,
  submit,
  finishTurn,
  type UserMessage,
  type ConversationState,
} from "./conversation-state.ts";

const send = ({ text }: UserMessage): Effect => ({ type: "write", text: `${text}\n` });
const message = (turn: string): UserMessage => ({ turn, text: `do ${turn}` });
const written = (turn: string): Effect => ({ type: "write", text: `do ${turn}\n` });
const turnStarted = (turn: string) => ({ type: "turn.started", turn, input: `do ${turn}`, origin: "user" });

/** Returns the transition that `write` makes from a state. */
function transitionFrom(
  initial: Partial<ConversationState>,
  write: (writer: TransitionWriter<ConversationState>) => void,
): Transition<ConversationState> {
  const writer = new TransitionWriter<ConversationState>({ ...initialConversation, ...initial });
  write(writer);
  return writer.transition;
}

test("sends a message to an idle agent and starts its turn", () => {
  const { state, events, effects } = transitionFrom({ interrupting: true }, (writer) =>
    submit(writer, message("1"), send),
  );
  expect(state).toEqual({ ...initialConversation, current: message("1") });
  expect(events).toEqual([turnStarted("1")]);
  expect(effects).toEqual([written("1")]);
});

test("queues messages during a turn and sends one per ended turn, in order", () => {
  const { state, events, effects } = transitionFrom({}, (writer) => {
    for (const turn of ["1", "2", "3"]) submit(writer, message(turn), send);
    finishTurn(writer, "completed", send);
    finishTurn(writer, "interrupted", send);
  });
  expect(events).toEqual([
    turnStarted("1"),
    { type: "turn.ended", turn: "1", outcome: "completed" },
    turnStarted("2"),
    { type: "turn.ended", turn: "2", outcome: "interrupted" },
    turnStarted("3"),
  ]);
  expect(effects).toEqual(["1", "2", "3"].map(written));
  expect(state).toMatchObject({ current: message("3"), queue: [] });
});

test("the end of a turn resets the turn and the interrupt", () => {
  const before = { current: message("1"), interrupting: true };
  expect(transitionFrom(before, (writer) => finishTurn(writer, "failed", send))).toMatchObject({
    state: initialConversation,
    events: [{ type: "turn.ended", turn: "1", outcome: "failed" }],
    effects: [],
  });
});

test("writes no turn.ended without an open turn", () => {
  expect(transitionFrom({}, (writer) => finishTurn(writer, "completed", send)).events).toEqual([]);
});

test("numbers the turns that an agent starts without a message", () => {
  const { state, events } = transitionFrom({}, (writer) => {
    agentTurnStarted(writer);
    finishTurn(writer, "completed", send);
    agentTurnStarted(writer);
  });
  const agentTurn = (turn: string) => ({ type: "turn.started", turn, input: "", origin: "agent" });
  expect(events).toEqual([
    agentTurn("own-1"),
    { type: "turn.ended", turn: "own-1", outcome: "completed" },
    agentTurn("own-2"),
  ]);
  expect(state).toMatchObject({ agentTurnCount: 2, current: { turn: "own-2", text: "" } });
});

test("queues a message during a turn that the agent started without a message", () => {
  const { events, effects } = transitionFrom({}, (writer) => {
    agentTurnStarted(writer);
    submit(writer, message("1"), send);
  });
  expect(events).toHaveLength(1);
  expect(effects).toEqual([]);
});

describe("when the agent reports its conversation", () => {
  test("reports each change once", () => {
    const { state, events } = transitionFrom({}, (writer) => {
      sessionIdentified(writer, "n", null);
      sessionIdentified(writer, "n", null);
      sessionIdentified(writer, "n", "m");
      sessionIdentified(writer, "n", "m");
      sessionIdentified(writer, "o", "m");
    });
    expect(events).toStrictEqual([
      { type: "session.changed", agentSessionId: "n" },
      { type: "session.changed", agentSessionId: "n", model: "m" },
      { type: "session.changed", agentSessionId: "o", model: "m" },
    ]);
    expect(state).toEqual({ ...initialConversation, agentSessionId: "o", model: "m" });
  });

  const knownSession = { agentSessionId: "n", model: "m" };

  test("proves a resume, and starts the waiting turn only then", () => {
    const { state, events, effects } = transitionFrom({ ...knownSession, expectedSessionId: "n" }, (writer) => {
      submit(writer, message("1"), send);
      expect(writer.transition.events).toEqual([]);
      sessionIdentified(writer, "n", "m");
    });
    expect(effects).toEqual([written("1")]);
    expect(events).toEqual([{ type: "session.resumed", outcome: "native", agentSessionId: "n" }, turnStarted("1")]);
    expect(state.expectedSessionId).toBeNull();
  });

  test("proves a resume without a message, and starts no turn", () => {
    const expectedSessionId = "n";
    const { events } = transitionFrom({ ...knownSession, expectedSessionId }, (writer) =>
      sessionIdentified(writer, "n", "m"),
    );
    expect(events).toEqual([{ type: "session.resumed", outcome: "native", agentSessionId: "n" }]);
  });

  test("reports a new conversation instead of a resume as an error, and kills the agent", () => {
    const expectedSessionId = "n";
    const { state, events, effects } = transitionFrom({ ...knownSession, expectedSessionId }, (writer) => {
      submit(writer, message("1"), send);
      sessionIdentified(writer, "other", "m");
    });
    const text = "The agent started a new conversation instead of resuming n.";
    expect(events).toEqual([
      { type: "session.changed", agentSessionId: "other", model: "m" },
      { type: "error.raised", category: "session-not-found", message: text },
    ]);
    expect(effects).toEqual([written("1"), { type: "kill" }]);
    expect(state.expectedSessionId).toBeNull();
  });

  test("writes no turn.ended for a turn whose resume was not proven", () => {
    const { events } = transitionFrom({ expectedSessionId: "n" }, (writer) => {
      submit(writer, message("1"), send);
      finishTurn(writer, "failed", send);
    });
    expect(events).toEqual([]);
  });
});

test("flushQueue sends the first queued message and keeps the others", () => {
  const { state, effects } = transitionFrom({ queue: [message("1"), message("2")] }, (writer) =>
    flushQueue(writer, send),
  );
  expect(state).toEqual({ ...initialConversation, current: message("1"), queue: [message("2")] });
  expect(effects).toEqual([written("1")]);
  expect(transitionFrom({}, (writer) => flushQueue(writer, send)).effects).toEqual([]);
});

describe("planConversation", () => {
  const continues = { session: "s0", agentSessionId: "n0", outcome: "native" } as const;
  const plan = (
    from: Partial<ConversationState>,
    command: "open" | "resume",
    continuation: Parameters<typeof planConversation>[2],
  ) => {
    const writer = new TransitionWriter<ConversationState>({ ...initialConversation, ...from });
    return { target: planConversation(writer, command, continuation), transition: writer.transition };
  };

  test("expects no conversation id for a new conversation", () => {
    const { target, transition } = plan({}, "open", null);
    expect(target).toEqual({ agentSessionId: null, forking: false });
    expect(transition).toMatchObject({ state: initialConversation, events: [] });
  });

  test("expects the continued conversation, also if the process was paused before it reported its id", () => {
    for (const command of ["open", "resume"] as const) {
      const { target, transition } = plan({}, command, continues);
      expect(target).toEqual({ agentSessionId: "n0", forking: false });
      expect(transition).toMatchObject({ state: { expectedSessionId: "n0", forking: false }, events: [] });
    }
  });

  test("forks once, and then stays in the fork", () => {
    expect(plan({}, "open", { ...continues, fork: true }).target).toEqual({ agentSessionId: "n0", forking: true });
    expect(plan({}, "resume", { ...continues, fork: true }).target).toEqual({ agentSessionId: "n0", forking: true });
    expect(plan({ agentSessionId: "n1" }, "resume", { ...continues, fork: true }).target).toEqual({
      agentSessionId: "n1",
      forking: false,
    });
    // A rebuilt session has no conversation to fork.
    const rebuilt = { session: "s0", agentSessionId: null, outcome: "rebuilt", fork: true } as const;
    expect(plan({}, "open", rebuilt).target).toEqual({ agentSessionId: null, forking: false });
  });

  test("reports a fresh conversation if the agent never reported an id", () => {
    const { events } = plan({}, "resume", null).transition;
    expect(events).toEqual([{ type: "session.resumed", outcome: "fresh", agentSessionId: null }]);
  });

  test("proves a fork by a different conversation id only", () => {
    const from = { expectedSessionId: "n0", forking: true, current: message("1") };
    const forked = transitionFrom(from, (writer) => sessionIdentified(writer, "n1", null));
    expect(forked.events?.slice(1)).toEqual([
      { type: "session.resumed", outcome: "forked", agentSessionId: "n1" },
      turnStarted("1"),
    ]);
    expect(forked.state).toMatchObject({ agentSessionId: "n1", expectedSessionId: null, forking: false });
    const same = transitionFrom(from, (writer) => sessionIdentified(writer, "n0", null));
    expect(same.events?.at(-1)).toMatchObject({ type: "error.raised", category: "session-not-found" });
    expect(same.effects).toEqual([{ type: "kill" }]);
    expect(same.state).toMatchObject({ current: null, queue: [] });
  });
});

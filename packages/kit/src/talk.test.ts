import type { Effect, Step } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { StepWriter } from "./step-writer.ts";
import { byItself, entered, goOn, identified, quietTalk, takeUp, turnOver, type Message, type Talk } from "./talk.ts";

const speak = ({ text }: Message): Effect => ({ type: "say", text: `${text}\n` });
const message = (turn: string): Message => ({ turn, text: `do ${turn}` });
const said = (turn: string): Effect => ({ type: "say", text: `do ${turn}\n` });
const begun = (turn: string) => ({ type: "turn.started", turn, input: `do ${turn}`, origin: "user" });

/** One step from a state, with what was told and ordered in it. */
function step(from: Partial<Talk>, write: (writer: StepWriter<Talk>) => void): Step<Talk> {
  const writer = new StepWriter<Talk>({ ...quietTalk, ...from });
  write(writer);
  return writer.step;
}

test("a message to a quiet agent is said, and its turn begins", () => {
  const { state, events, effects } = step({ interrupting: true }, (writer) => takeUp(writer, message("1"), speak));
  expect(state).toEqual({ ...quietTalk, current: message("1") });
  expect(events).toEqual([begun("1")]);
  expect(effects).toEqual([said("1")]);
});

test("messages that come in mid-turn are held back, and said one by one as turns end, in their order", () => {
  const { state, events, effects } = step({}, (writer) => {
    for (const turn of ["1", "2", "3"]) takeUp(writer, message(turn), speak);
    turnOver(writer, "completed", speak);
    turnOver(writer, "interrupted", speak);
  });
  expect(events).toEqual([
    begun("1"),
    { type: "turn.ended", turn: "1", outcome: "completed" },
    begun("2"),
    { type: "turn.ended", turn: "2", outcome: "interrupted" },
    begun("3"),
  ]);
  expect(effects).toEqual(["1", "2", "3"].map(said));
  expect(state).toMatchObject({ current: message("3"), waiting: [] });
});

test("when a turn is over nothing of it is left, not even that it was being interrupted", () => {
  const before = { current: message("1"), interrupting: true };
  expect(step(before, (writer) => turnOver(writer, "failed", speak))).toMatchObject({
    state: quietTalk,
    events: [{ type: "turn.ended", turn: "1", outcome: "failed" }],
    effects: [],
  });
});

test("where there is no turn, there is no end of one", () => {
  expect(step({}, (writer) => turnOver(writer, "completed", speak)).events).toEqual([]);
});

test("turns that an agent begins by itself are numbered", () => {
  const { state, events } = step({}, (writer) => {
    byItself(writer);
    turnOver(writer, "completed", speak);
    byItself(writer);
  });
  const own = (turn: string) => ({ type: "turn.started", turn, input: "", origin: "agent" });
  expect(events).toEqual([own("own-1"), { type: "turn.ended", turn: "own-1", outcome: "completed" }, own("own-2")]);
  expect(state).toMatchObject({ own: 2, current: { turn: "own-2", text: "" } });
});

test("a message waits for the end of a turn that the agent began by itself", () => {
  const { events, effects } = step({}, (writer) => {
    byItself(writer);
    takeUp(writer, message("1"), speak);
  });
  expect(events).toHaveLength(1);
  expect(effects).toEqual([]);
});

describe("when an agent says which conversation it is in,", () => {
  test("what is new is told, once", () => {
    const { state, events } = step({}, (writer) => {
      identified(writer, "n", null);
      identified(writer, "n", null);
      identified(writer, "n", "m");
      identified(writer, "n", "m");
      identified(writer, "o", "m");
    });
    expect(events).toStrictEqual([
      { type: "session.changed", agentSessionId: "n" },
      { type: "session.changed", agentSessionId: "n", model: "m" },
      { type: "session.changed", agentSessionId: "o", model: "m" },
    ]);
    expect(state).toEqual({ ...quietTalk, agentSessionId: "o", model: "m" });
  });

  const known = { agentSessionId: "n", model: "m" };

  test("a resume is proven, and only then does the turn begin that waited for it", () => {
    const { state, events, effects } = step({ ...known, proving: "n" }, (writer) => {
      takeUp(writer, message("1"), speak);
      expect(writer.step.events).toEqual([]);
      identified(writer, "n", "m");
    });
    expect(effects).toEqual([said("1")]);
    expect(events).toEqual([{ type: "session.resumed", outcome: "native", agentSessionId: "n" }, begun("1")]);
    expect(state.proving).toBeNull();
  });

  test("a resume without a message is proven without a turn", () => {
    const proving = "n";
    const { events } = step({ ...known, proving }, (writer) => identified(writer, "n", "m"));
    expect(events).toEqual([{ type: "session.resumed", outcome: "native", agentSessionId: "n" }]);
  });

  test("a resume that became a fresh start is an error, and the agent is stopped before it does anything", () => {
    const proving = "n";
    const { state, events, effects } = step({ ...known, proving }, (writer) => {
      takeUp(writer, message("1"), speak);
      identified(writer, "other", "m");
    });
    const says = "It was to resume n and began a new conversation instead.";
    expect(events).toEqual([
      { type: "session.changed", agentSessionId: "other", model: "m" },
      { type: "error.raised", category: "session-not-found", message: says },
    ]);
    expect(effects).toEqual([said("1"), { type: "kill" }]);
    expect(state.proving).toBeNull();
  });

  test("a turn that was never taken up, since the resume was not proven, has no end either", () => {
    const { events } = step({ proving: "n" }, (writer) => {
      takeUp(writer, message("1"), speak);
      turnOver(writer, "failed", speak);
    });
    expect(events).toEqual([]);
  });
});

test("what was held back for an agent that could not hear yet is said when it can, in its order", () => {
  const { state, effects } = step({ waiting: [message("1"), message("2")] }, (writer) => goOn(writer, speak));
  expect(state).toEqual({ ...quietTalk, current: message("1"), waiting: [message("2")] });
  expect(effects).toEqual([said("1")]);
  expect(step({}, (writer) => goOn(writer, speak)).effects).toEqual([]);
});

describe("entering a conversation:", () => {
  const old = { session: "s0", agentSessionId: "n0", outcome: "native" } as const;
  const into = (from: Partial<Talk>, wish: "open" | "resume", continues: Parameters<typeof entered>[2]) => {
    const writer = new StepWriter<Talk>({ ...quietTalk, ...from });
    return { entry: entered(writer, wish, continues), step: writer.step };
  };

  test("a new one has nothing to prove", () => {
    const { entry, step: taken } = into({}, "open", null);
    expect(entry).toEqual({ agentSessionId: null, forking: false });
    expect(taken).toMatchObject({ state: quietTalk, events: [] });
  });

  test("one that goes on is to be proven, and is entered again if it was let go of before it was", () => {
    for (const wish of ["open", "resume"] as const) {
      const { entry, step: taken } = into({}, wish, old);
      expect(entry).toEqual({ agentSessionId: "n0", forking: false });
      expect(taken).toMatchObject({ state: { proving: "n0", forking: false }, events: [] });
    }
  });

  test("a fork is made once: after that, it has a conversation of its own", () => {
    expect(into({}, "open", { ...old, fork: true }).entry).toEqual({ agentSessionId: "n0", forking: true });
    expect(into({}, "resume", { ...old, fork: true }).entry).toEqual({ agentSessionId: "n0", forking: true });
    expect(into({ agentSessionId: "n1" }, "resume", { ...old, fork: true }).entry).toEqual({
      agentSessionId: "n1",
      forking: false,
    });
    // What is rebuilt has no conversation to fork.
    const rebuilt = { session: "s0", agentSessionId: null, outcome: "rebuilt", fork: true } as const;
    expect(into({}, "open", rebuilt).entry).toEqual({ agentSessionId: null, forking: false });
  });

  test("where it was never named, it begins anew, and that is said", () => {
    const { events } = into({}, "resume", null).step;
    expect(events).toEqual([{ type: "session.resumed", outcome: "fresh", agentSessionId: null }]);
  });

  test("a fork is proven by another name, and only by that", () => {
    const from = { proving: "n0", forking: true, current: message("1") };
    const forked = step(from, (writer) => identified(writer, "n1", null));
    expect(forked.events?.slice(1)).toEqual([
      { type: "session.resumed", outcome: "forked", agentSessionId: "n1" },
      begun("1"),
    ]);
    expect(forked.state).toMatchObject({ agentSessionId: "n1", proving: null, forking: false });
    const same = step(from, (writer) => identified(writer, "n0", null));
    expect(same.events?.at(-1)).toMatchObject({ type: "error.raised", category: "session-not-found" });
    expect(same.effects).toEqual([{ type: "kill" }]);
    expect(same.state).toMatchObject({ current: null, waiting: [] });
  });
});

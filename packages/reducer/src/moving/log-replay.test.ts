import {
  commandRules,
  findViolations,
  type Adapter,
  type AgentEvent,
  type Command,
  type Note,
  type SpoolRecord,
} from "@fairlead/contract";
import { defineDialect } from "@fairlead/kit";
import { exampleOpening as opening } from "@fairlead/testing/reducer/example-opening.ts";
import { describe, expect, test } from "vitest";
import { LogReplay, type LogEntry } from "./log-replay.ts";
import { SessionReducer } from "../session-reducer.ts";
import { unattendedRequestId } from "../session-lifecycle.ts";
import type { SessionState } from "../session-state.ts";

const agent = { program: "agent", args: [], env: {}, cwd: "/w", stdin: "pipe" } as const;

/** An adapter whose agent writes events as JSON lines, and which proves a resume with its first line. */
const adapter: Adapter = {
  manifest: { capabilities: ["resume"], version: "1" } as unknown as Adapter["manifest"],
  probe: () => expect.unreachable(),
  open: () => ({
    processLifetime: "session",
    protocol: "lines",
    dialect: defineDialect({
      initialState: { exits: 0, isProven: true },
      observe(writer, observation) {
        if (observation.kind === "exited") writer.set({ ...writer.state, exits: writer.state.exits + 1 });
        if (observation.kind === "line") writer.event(...(JSON.parse(observation.text) as AgentEvent[]));
      },
      handle(writer, command) {
        if (command.type === "open" || command.type === "resume") writer.effect({ type: "launch", command: agent });
        if (command.type === "open") writer.warn("opened");
        if (command.type === "resume") writer.set({ ...writer.state, isProven: false });
        if (command.type === "send") {
          if (writer.state.isProven)
            writer.event({ type: "turn.started", turn: command.turn, input: command.text, origin: "user" });
          writer.effect({ type: "write", text: command.text });
        }
      },
    }),
  }),
};

type RecordContent = readonly [kind: SpoolRecord["kind"], text: string, id?: string];
const note = (value: Note): RecordContent => ["note", JSON.stringify(value)];
const command = (value: Command): RecordContent => note({ type: "command", command: value, rules: 6 });
const send = (turn: string): RecordContent => command({ type: "send", turn, text: turn });
const events = (...bodies: readonly AgentEvent[]): RecordContent => ["out", `${JSON.stringify(bodies)}\n`];
const turnEnded = (turn: string): AgentEvent => ({ type: "turn.ended", turn, outcome: "completed" });
const exited: RecordContent = ["exit", '{"code":0,"signal":null}'];
const running: readonly RecordContent[] = [
  note({ type: "opening", opening }),
  command({ type: "open" }),
  ["launch", "{}"],
  events({ type: "session.changed", agentSessionId: "n", model: "m" }),
];

interface Session {
  readonly reducer: SessionReducer;
  readonly log: readonly LogEntry[];
  readonly bodies: readonly AgentEvent[];
}

/** Reduces records, and collects what the log gets of them. */
function reduce(contents: readonly RecordContent[], from?: { state: SessionState; seq: number }): Session {
  const reducer = new SessionReducer(adapter, from?.state);
  const log: LogEntry[] = [];
  for (const [index, [kind, text, id = ""]] of contents.entries()) {
    const seq = (from?.seq ?? 0) + index + 1;
    const record = { seq, kind, process: 0, at: 1000 * seq, id, bytes: Buffer.from(text) };
    if (kind === "note") log.push({ note: record });
    for (const output of reducer.reduce(record).outputs)
      if ("body" in output) log.push({ event: { ...output, sequence: log.length + 1, epoch: 1 } });
  }
  const bodies = log.flatMap((entry) => ("event" in entry ? [entry.event.body] : []));
  return { reducer, log, bodies };
}

/** The state that the next host has: from the log, after the state of the first `image` records. */
function replay(contents: readonly RecordContent[], image = 0): SessionState {
  const stored = image === 0 ? null : { state: reduce(contents.slice(0, image)).reducer.state, upToSeq: image };
  const replayed = new LogReplay(adapter, stored);
  for (const entry of reduce(contents).log) replayed.add(entry);
  expect(replayed.lastSeq).toBeGreaterThan(0);
  return replayed.finish() as SessionState;
}

/** Continues on the next host with a note `moved`. Returns the events and the state. */
function move(
  contents: readonly RecordContent[],
  {
    image = 0,
    more = [],
    ...moved
  }: Partial<Extract<Note, { type: "moved" }>> & { image?: number; more?: readonly RecordContent[] } = {},
): Session {
  const state = replay(contents, image);
  const from = { state, seq: contents.length };
  const session = reduce([note({ type: "moved", outcome: "native", ...moved }), ...more], from);
  const before = reduce(contents).log.flatMap((entry) => ("event" in entry ? [entry.event] : []));
  const after = session.log.flatMap((entry) => ("event" in entry ? [entry.event] : []));
  const all = [...before, ...after].map((event, index) => ({ ...event, sequence: index + 1 }));
  expect(findViolations(all)).toEqual([]);
  return session;
}

const types = ({ bodies }: Session): string[] => bodies.map(({ type }) => type);

describe("the state from the log", () => {
  test("has queued messages with the context that was injected before them", () => {
    const state = replay([
      ...running,
      send("1"),
      command({ type: "inject", text: "by the way" }),
      send("2"),
      send("3"),
    ]);
    expect(state.waitingMessages).toEqual([
      { turn: "2", text: "2", context: ["by the way"], isDelivered: false, isAnnounced: true },
      { turn: "3", text: "3", context: [], isDelivered: false, isAnnounced: true },
    ]);
    expect(replay([...running, command({ type: "inject", text: "later" })]).pendingContext).toEqual(["later"]);
    expect(replay([...running, command({ type: "inject", text: "later" }), send("1")]).pendingContext).toEqual([]);
  });

  test("has changed limits, a stop that was requested, and what a person allowed for the session", () => {
    const limit = command({ type: "limit", limits: { usd: 3 }, mayRaise: true });
    expect(replay([...running, limit], 4).spending.limits).toEqual({ usd: 3 });
    expect(replay([...running, command({ type: "pause" })], 4).desiredState).toBe("pause");
    expect(replay([...running, command({ type: "end" })], 4).desiredState).toBe("end");
    expect(replay([...running, command({ type: "pause", leaves: true })], 4).desiredState).toBe("run");
    // A rejected command has no effect.
    expect(replay([...running, command({ type: "pause" }), exited, command({ type: "pause" })]).desiredState).toBe(
      "pause",
    );
    const grants = [{ prefix: "ls" }] as never;
    const decision = { type: "decision.requested", decision: "d", kind: "approval", title: "?", reading: { grants } };
    const answer = { type: "allow", remember: "session" } as const;
    const asked = [...running, send("1"), events(decision as unknown as AgentEvent)];
    const answered = [...asked, command({ type: "answer", decision: "d", answer, by: { kind: "person" } })];
    const expected = reduce(answered).reducer.state.grants;
    expect(replay(answered, 5).grants).toEqual(expected);
  });

  test("has a pause, why, and the time that was used until the host was lost", () => {
    const paused = [...running, command({ type: "pause" }), exited];
    expect(replay(paused, 4)).toMatchObject({ desiredState: "pause", stoppedFor: null, running: false });
    const limited = note({ type: "opening", opening: { ...opening, limits: { seconds: 1 } } });
    const stopped = [limited, ...running.slice(1), send("1"), note({ type: "alarm", name: "fairlead.limit" }), exited];
    expect(reduce(stopped).bodies).toContainEqual({ type: "session.paused", reason: "budget" });
    expect(replay(stopped)).toMatchObject({ desiredState: "pause", stoppedFor: "budget" });
    const working = replay([...running, send("1"), events({ type: "status.reported", level: "info", message: "x" })]);
    expect(working.spending).toMatchObject({ clockSince: null, alarmAt: null });
  });
});

test.each([
  ["a message", [send("1")]],
  ["a person in the agent's terminal", [events({ type: "lead.changed", lead: "human" })]],
] as const)("a conversation is new until %s, live and from the log", (_, contents) => {
  expect([reduce(running).reducer.state.isNew, replay(running).isNew]).toEqual([true, true]);
  const begun = [...running, ...contents];
  expect([reduce(begun).reducer.state.isNew, replay(begun).isNew]).toEqual([false, false]);
});

describe("a session that arrives on another host", () => {
  test("closes the open turn as failed, keeps the queue, and pauses as moved", () => {
    const session = move([...running, send("1"), events(turnEnded("1")), send("2"), send("3")], { image: 6 });
    expect(session.bodies).toEqual([
      expect.objectContaining({ type: "error.raised", category: "agent-died" }),
      { type: "turn.ended", turn: "2", outcome: "failed" },
      { type: "session.paused", reason: "moved" },
    ]);
    expect(session.reducer.state).toMatchObject({ desiredState: "pause", stoppedFor: "moved", running: false });
    expect(session.reducer.state.dialectState).toMatchObject({ exits: 1 });
    expect(session.reducer.state.waitingMessages.map(({ turn }) => turn)).toEqual(["3"]);
  });

  test("delivers queued messages once after the resume", () => {
    const resumed = [command({ type: "resume" }), ["launch", "{}"] as const, events()];
    const proven = events({ type: "session.resumed", outcome: "native", agentSessionId: "n" });
    const session = move([...running, send("1"), send("2")], { image: 4, more: [...resumed, proven] });
    expect(session.bodies.filter(({ type }) => type === "message.queued" || type === "turn.started")).toEqual([]);
    const state = session.reducer.state.waitingMessages;
    expect(state).toEqual([expect.objectContaining({ turn: "2", isDelivered: true })]);
  });

  test("returns a message that was sent while a resume was unproven: the agent may have read it", () => {
    const unproven = [
      ...running,
      command({ type: "pause" }),
      exited,
      command({ type: "resume" }),
      send("1"),
      send("2"),
    ];
    const session = move([...unproven], { image: 6 });
    expect(session.bodies).toContainEqual({ type: "message.returned", turn: "1", text: "1", reason: "unconfirmed" });
    expect(session.reducer.state.waitingMessages.map(({ turn }) => turn)).toEqual(["2"]);
  });

  test("stays paused if a person paused it, and ends if it was to end", () => {
    const paused = move([...running, command({ type: "pause" }), exited]);
    expect(paused.bodies).toEqual([]);
    expect(paused.reducer.state).toMatchObject({ desiredState: "pause", stoppedFor: null });
    expect(move([...running, send("1"), command({ type: "pause" })]).bodies.at(-1)).toEqual({
      type: "session.paused",
      reason: "asked",
    });
    expect(move([...running, send("1"), command({ type: "end" })]).bodies.at(-1)).toMatchObject({
      type: "session.ended",
      reason: "stopped",
    });
  });

  test("opens the conversation again with the earlier one as context, if it is rebuilt", () => {
    const more = [command({ type: "resume" }), ["launch", "{}"] as const, send("2")];
    const session = move([...running, send("1")], { outcome: "rebuilt", context: ["earlier"], more });
    expect(session.bodies).toContainEqual({ type: "session.resumed", outcome: "rebuilt", agentSessionId: null });
    expect(session.bodies).toContainEqual(expect.objectContaining({ type: "status.reported", message: "opened" }));
    expect(session.reducer.state).toMatchObject({ agentSessionId: null, pendingContext: [], opensAgain: false });
    const effects = reduce(more.slice(0, 1), {
      state: move([...running, send("1")], { outcome: "rebuilt", context: ["earlier"] }).reducer.state,
      seq: 100,
    });
    expect(effects.reducer.state.pendingContext).toEqual(["earlier"]);
  });

  test("ends as lost, with the reason, and returns the messages that wait", () => {
    const session = move([...running, send("1"), send("2")], { outcome: "lost", reason: "No host has it." });
    expect(types(session)).toEqual(["error.raised", "turn.ended", "message.returned", "session.ended"]);
    expect(session.bodies.at(0)).toMatchObject({ message: "No host has it." });
    expect(session.bodies.at(-1)).toMatchObject({ reason: "lost" });
  });

  test("has no more effect after its end", () => {
    expect(move([...running, command({ type: "end" }), exited]).bodies).toEqual([]);
  });
});

describe("a session that leaves its host", () => {
  const leave = command({ type: "pause", leaves: true });
  const resumeNow = note({ type: "command", command: { type: "resume" }, rules: commandRules });

  test("pauses as moved at once without a turn, and otherwise when the turn has ended, before the next message", () => {
    expect(reduce([...running, leave, exited]).bodies.at(-1)).toEqual({ type: "session.paused", reason: "moved" });
    const later = reduce([...running, send("1"), send("2"), leave, events(turnEnded("1")), exited]);
    expect(later.bodies.slice(-2)).toEqual([turnEnded("1"), { type: "session.paused", reason: "moved" }]);
    expect(later.reducer.state.waitingMessages.map(({ turn }) => turn)).toEqual(["2"]);
  });

  test("waits for the turn of a message that the agent has and has not begun", () => {
    const resumed = [
      ...running,
      command({ type: "pause" }),
      exited,
      command({ type: "resume" }),
      ["launch", "{}"] as const,
    ];
    const started: AgentEvent = { type: "turn.started", turn: "1", input: "1", origin: "user" };
    const waiting = [...resumed, send("1"), leave];
    expect(reduce(waiting).reducer.state.desiredState).toBe("run");
    const after = reduce([...waiting, events(started), events(turnEnded("1"))]);
    expect(after.reducer.state.desiredState).toBe("pause");
  });

  test("accepts messages, which wait for the next host", () => {
    const left = reduce([...running, leave, exited, send("1")]);
    expect(left.bodies.at(-1)).toEqual({ type: "message.queued", turn: "1", text: "1" });
    expect(replay([...running, leave, exited, send("1")]).waitingMessages).toMatchObject([{ turn: "1" }]);
  });

  test("is resumed like every paused session", () => {
    const session = reduce([...running, leave, exited, command({ type: "resume" })]);
    expect(session.reducer.state).toMatchObject({ desiredState: "run", stoppedFor: null, leaving: false });
  });

  test("continues if that is withdrawn before it has paused", () => {
    const stay = command({ type: "resume", stays: true });
    const ended = [events(turnEnded("1")), send("2")];
    const leaving = [...running, send("1"), leave];
    const stayed = reduce([...leaving, stay, ...ended]);
    expect(stayed.bodies.at(-1)).toMatchObject({ type: "turn.started", turn: "2" });
    expect(stayed.reducer.state).toMatchObject({ leaving: false, desiredState: "run" });
    expect(types(stayed)).toEqual(types(reduce([...running, send("1"), ...ended])));
  });

  test("stays paused if it has paused, or if a person pauses it", () => {
    const stay = command({ type: "resume", stays: true });
    const left = reduce([...running, leave, stay, exited, stay]);
    expect(left.bodies.at(-1)).toEqual({ type: "session.paused", reason: "moved" });
    const paused = reduce([...running, send("1"), leave, command({ type: "pause" }), stay, exited, stay]);
    expect(paused.bodies.at(-1)).toEqual({ type: "session.paused", reason: "asked" });
    expect(paused.reducer.state).toMatchObject({ leaving: false, desiredState: "pause" });
  });

  test("does not leave any more when a person has paused and resumed it", () => {
    const commands = [leave, command({ type: "pause" }), exited, resumeNow];
    const resumed = reduce([...running, send("1"), ...commands]);
    expect(resumed.reducer.state).toMatchObject({ leaving: false, desiredState: "run" });
    const older = reduce([...running, send("1"), ...commands.with(3, command({ type: "resume" }))]);
    expect(older.reducer.state).toMatchObject({ desiredState: "pause", stoppedFor: "moved" });
  });

  test("pauses as moved if its keeper ends the agent because nobody attends to it", () => {
    const killed = reduce([...running, send("1"), ["signal", "kill", unattendedRequestId], exited]);
    expect(killed.bodies.slice(-3)).toEqual([
      expect.objectContaining({ type: "error.raised", category: "agent-died" }),
      { type: "turn.ended", turn: "1", outcome: "failed" },
      { type: "session.paused", reason: "moved" },
    ]);
    const idle = reduce([...running, ["signal", "kill", unattendedRequestId], exited]);
    expect(types(idle)).not.toContain("error.raised");
  });
});

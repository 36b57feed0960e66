import type { Adapter, AgentEvent, Command, Effect, EventDraft, Note } from "@fairlead/contract";
import { findViolations, type RecordKind } from "@fairlead/contract";
import { defineDialect } from "@fairlead/kit";
import { exampleOpening as opening } from "@fairlead/testing/reducer/example-opening.ts";
import { describe, expect, test } from "vitest";
import { fenceAdapter, fenceTransition } from "./fence-adapter.ts";
import { SessionReducer } from "./session-reducer.ts";
import type { SessionState } from "./session-state.ts";

const launch: Effect = {
  type: "launch",
  command: { program: "fragile", args: [], env: {}, cwd: "/w", stdin: "pipe" },
};

/** What the fragile adapter throws at: a line, a kind of observation, a command type, `open-adapter` or `terminal`. */
type ThrowsAt = ReadonlySet<string>;

/** An adapter that throws wherever a test says so, after it has changed its state and written an event. */
function fragileAdapter(throwsAt: ThrowsAt, processLifetime: "session" | "turn" = "session"): Adapter {
  const failAt = (place: string): void => {
    if (throwsAt.has(place)) throw new TypeError(`fragile at ${place}`);
  };
  const dialect = defineDialect<{ seen: readonly string[] }>({
    initialState: { seen: [] },
    observe(writer, observation) {
      const what = observation.kind === "line" ? observation.text : observation.kind;
      writer.set({ seen: [...writer.state.seen, what] });
      if (what === "end-turn") writer.event({ type: "turn.ended", turn: "1", outcome: "completed" });
      else writer.event({ type: "status.reported", level: "info", message: what });
      failAt(what);
    },
    handle(writer, command) {
      writer.set({ seen: [...writer.state.seen, command.type] });
      const isStart = command.type === "open" || command.type === "resume";
      if (processLifetime === "session" ? isStart : command.type === "send") writer.effect(launch);
      if (command.type === "resume") writer.event({ type: "session.resumed", outcome: "fresh", agentSessionId: null });
      if (command.type === "send")
        writer.event({ type: "turn.started", turn: command.turn, input: command.text, origin: "user" });
      failAt(command.type);
    },
  });
  return {
    manifest: { capabilities: ["take-over"] } as unknown as Adapter["manifest"],
    probe: () => expect.unreachable(),
    terminalCommand() {
      failAt("terminal");
      return { program: "terminal", args: [], env: {}, cwd: "/w", stdin: "pipe" };
    },
    open() {
      failAt("open-adapter");
      return { processLifetime, protocol: "lines", dialect };
    },
  };
}

type RecordContent = readonly [RecordKind, string];
const note = (value: Note): RecordContent => ["note", JSON.stringify(value)];
const command = (value: Command): RecordContent => note({ type: "command", command: value });
const send = command({ type: "send", turn: "1", text: "do" });
const exit: RecordContent = ["exit", '{"code":0,"signal":null}'];
const started = [note({ type: "opening", opening }), command({ type: "open" }), ["launch", "{}"] as const];

/** Reduces the records, each also by a reducer that continues from stored state, and expects the same of both. */
function reduceAll(adapter: Adapter, contents: readonly RecordContent[]) {
  const reducer = new SessionReducer(adapter);
  let stored: SessionState | undefined;
  const reductions = contents.map(([kind, text], index) => {
    const record = { seq: index + 1, kind, process: 1, at: 1000, id: "", bytes: Buffer.from(text) };
    const restored = new SessionReducer(adapter, stored);
    const reduction = reducer.reduce(record);
    expect(restored.reduce(record)).toEqual(reduction);
    stored = JSON.parse(JSON.stringify(reducer.state)) as SessionState;
    expect(stored).toEqual(reducer.state);
    return reduction;
  });
  const drafts = reductions
    .flatMap(({ outputs }) => outputs)
    .filter((output): output is EventDraft => "body" in output);
  expect(findViolations(drafts.map((draft, index) => ({ ...draft, sequence: index + 1, epoch: 1 })))).toEqual([]);
  const bodies = drafts.map(({ body }) => body);
  const last = reductions.at(-1);
  const lastBodies = (last?.outputs ?? []).flatMap((output): AgentEvent[] => ("body" in output ? [output.body] : []));
  const effects = last?.pendingEffects.map(({ effect }) => effect);
  return {
    state: reducer.state,
    seen: (reducer.state.dialectState as { seen: string[] } | null)?.seen,
    bodies,
    lastBodies,
    effects,
    rejection: last?.rejection,
  };
}
const throwingAt = (...places: string[]): Adapter => fragileAdapter(new Set(places));

describe("a dialect that throws", () => {
  test("at a line: the line becomes one unrecognized event, and the next line is observed", () => {
    const { bodies, seen, state } = reduceAll(throwingAt("boom"), [...started, send, ["out", "a\nboom\nb\n"]]);
    expect(bodies.slice(-3)).toEqual([
      { type: "status.reported", level: "info", message: "a" },
      { type: "unrecognized", reason: "the adapter failed: TypeError: fragile at boom", raw: "boom" },
      { type: "status.reported", level: "info", message: "b" },
    ]);
    expect(seen).toEqual(["open", "launched", "send", "a", "b"]);
    expect(state.ledger.over).toBe(false);
  });

  test("at the last line without a line end, and at the exit: the session still ends", () => {
    const { bodies, state } = reduceAll(throwingAt("boom", "exited"), [...started, send, ["out", "boom"], exit]);
    expect(bodies.map(({ type }) => type).slice(-4)).toEqual([
      "unrecognized",
      "unrecognized",
      "turn.ended",
      "session.ended",
    ]);
    expect(bodies.at(-3)).toMatchObject({ raw: '{"kind":"exited","exit":{"code":0,"signal":null}}' });
    expect(state).toMatchObject({ running: false, ledger: { over: true } });
  });

  test.each(["launched", "exited"])("at %s of a process per turn: the session does not wait for a turn", (place) => {
    const adapter = fragileAdapter(new Set([place]), "turn");
    const { bodies } = reduceAll(adapter, [...started.toSpliced(2, 0, send), exit]);
    expect(bodies).toContainEqual(
      expect.objectContaining({ type: "unrecognized", raw: expect.stringContaining(place) }),
    );
    expect(bodies).toContainEqual(expect.objectContaining({ type: "turn.ended", outcome: "failed" }));
    if (place === "exited") expect(bodies.at(-1)).toMatchObject({ type: "session.ended", reason: "failed" });
  });

  test("at an alarm: the alarm is recorded", () => {
    const { lastBodies } = reduceAll(throwingAt("alarm"), [...started, note({ type: "alarm", name: "mine" })]);
    expect(lastBodies).toMatchObject([{ type: "unrecognized", raw: '{"kind":"alarm","name":"mine"}' }]);
  });

  test.each<Command>([
    { type: "send", turn: "1", text: "do" },
    { type: "interrupt" },
    { type: "answer", decision: "d", answer: { type: "allow" }, by: { kind: "person" } },
  ])("at the command $type: the command is rejected and changes nothing", (rejected) => {
    const requested: AgentEvent = { type: "decision.requested", decision: "d", kind: "approval", title: "May I?" };
    const asking = fragileAdapter(new Set());
    const dialect = asking.open(opening).dialect;
    const adapter: Adapter = {
      ...asking,
      open: () => ({
        ...asking.open(opening),
        dialect: {
          ...dialect,
          observe: (state, observation) =>
            observation.kind === "line" ? { state, events: [requested] } : dialect.observe(state, observation),
          handle(state, handled) {
            if (handled.type === rejected.type && (handled.type !== "send" || handled.turn === "1"))
              throw new Error("no");
            return dialect.handle(state, handled);
          },
        },
      }),
    };
    const open: RecordContent[] = [...started, command({ type: "inject", text: "by the way" })];
    const inTurn = [...open, command({ type: "send", turn: "0", text: "ask" }), ["out", "ask\n"] as const];
    const contents = rejected.type === "send" ? open : inTurn;
    const before = reduceAll(adapter, contents);
    const after = reduceAll(adapter, [...contents, command(rejected)]);
    expect(after).toMatchObject({ rejection: "adapter-failed", lastBodies: [], effects: [] });
    expect(after.state).toEqual(before.state);
  });

  test.each(["pause", "end"] as const)("at the command %s: the agent is still asked to exit, and killed", (type) => {
    const contents = [...started, send, command({ type })];
    const asked = reduceAll(throwingAt(type), contents);
    expect(asked.rejection).toBeNull();
    expect(asked.lastBodies).toMatchObject([{ type: "unrecognized", raw: `{"type":"${type}"}` }]);
    expect(asked.effects).toMatchObject([{ type: "close-stdin" }, { type: "alarm" }]);
    const alarm = asked.effects?.[1];
    const kill = note({ type: "alarm", name: alarm?.type === "alarm" ? alarm.name : "" });
    expect(reduceAll(throwingAt(type), [...contents, kill]).effects).toEqual([{ type: "kill" }]);
    expect(reduceAll(throwingAt(type), [...contents, kill, exit]).bodies.at(-1)).toMatchObject(
      type === "end" ? { type: "session.ended", reason: "stopped" } : { type: "session.paused" },
    );
  });

  test("at the exit of a pause: the session ends, because its dialect would lose the next message", () => {
    const { bodies } = reduceAll(throwingAt("exited"), [...started, command({ type: "pause" }), exit]);
    expect(bodies.at(-1)).toMatchObject({ type: "session.ended", reason: "failed" });
  });

  test("everywhere: a session can still be ended", () => {
    const everywhere = ["boom", "launched", "exited", "alarm", "send", "end"];
    const contents = [...started, ["out", "boom\n"] as const, send, command({ type: "end" }), exit];
    expect(reduceAll(throwingAt(...everywhere), contents).bodies.at(-1)).toMatchObject({ reason: "stopped" });
  });
});

describe("an adapter that throws", () => {
  test("when it opens the conversation: the start is rejected, and the session can be ended", () => {
    const [openingNote, open] = started;
    if (openingNote === undefined || open === undefined) return expect.unreachable();
    const adapter = throwingAt("open-adapter");
    const { rejection, bodies } = reduceAll({ ...adapter }, [openingNote, open]);
    expect(rejection).toBe("adapter-failed");
    expect(bodies).toMatchObject([{ type: "session.started", protocol: "unknown" }, { type: "unrecognized" }]);
    const ended = reduceAll(adapter, [openingNote, open, command({ type: "end" })]);
    expect(ended.bodies.at(-1)).toMatchObject({ type: "session.ended", reason: "stopped" });
  });

  test("when it builds the terminal's command, or resumes after it: the session is paused", () => {
    const takeOver = command({ type: "take-over", size: { columns: 80, rows: 24 } });
    const continued = { ...opening, continues: { session: "r", agentSessionId: "n", outcome: "native" as const } };
    const [, ...rest] = started;
    const contents = [note({ type: "opening", opening: continued }), ...rest, takeOver, exit];
    const built = reduceAll(throwingAt("terminal"), contents);
    expect(built.bodies.slice(-2)).toMatchObject([{ type: "error.raised" }, { type: "session.paused" }]);
    expect(built.state.terminalFailed).toBe(true);
    const terminal = [["launch", "{}"] as const, exit];
    const resumed = reduceAll(throwingAt("resume"), [...contents, ...terminal]);
    expect(resumed.bodies.slice(-3)).toMatchObject([
      { type: "lead.changed", lead: "agent" },
      { type: "error.raised", category: "not-started" },
      { type: "session.paused" },
    ]);
    expect(resumed.state.terminalFailed).toBe(false);
  });
});

describe("an invalid record", () => {
  test.each(
    Object.entries({
      text: "not JSON",
      null: "null",
      "an empty object": "{}",
      "an unknown type": '{"type":"odd"}',
      "a number as text": '{"type":"command","command":{"type":"send","turn":"1","text":42}}',
      "an extra key": '{"type":"command","command":{"type":"steer","text":"x","more":1}}',
      "a missing key": '{"type":"alarm"}',
      "deep nesting": `${'{"a":'.repeat(9000)}1${"}".repeat(9000)}`,
      "a second opening": JSON.stringify({ type: "opening", opening: { ...opening, session: "other" } }),
    }),
  )("note of %s becomes one unrecognized event, and the session continues", (_, text) => {
    const { lastBodies, rejection, state } = reduceAll(throwingAt(), [...started, ["note", text]]);
    expect(lastBodies).toEqual([
      { type: "unrecognized", raw: text.slice(0, 4000), reason: expect.stringContaining("a note of the spool") },
    ]);
    expect(rejection).toBe("invalid-request");
    expect(state.opening?.session).toBe("s");
    expect(reduceAll(throwingAt(), [...started, ["note", text], send]).bodies.at(-1)).toMatchObject({ turn: "1" });
  });

  test.each(["", "no", '{"code":"x"}'])("exit %s still ends the session", (text) => {
    const { bodies } = reduceAll(throwingAt(), [...started, send, ["exit", text]]);
    expect(bodies).toContainEqual({ type: "unrecognized", raw: text, reason: "an exit record is invalid" });
    expect(bodies.at(-1)).toMatchObject({ type: "session.ended", reason: "crashed" });
  });
});

test("the fence catches what is thrown, also while a transition is read, and limits the message", () => {
  expect(fenceAdapter(() => 1)).toEqual({ result: 1 });
  const failing = (value: unknown) =>
    fenceAdapter(() => {
      throw value;
    });
  expect(failing(new RangeError("deep"))).toEqual({ failure: "the adapter failed: RangeError: deep" });
  expect(failing("text")).toEqual({ failure: "the adapter failed: string" });
  expect(failing(new Error("x".repeat(1000)))).toEqual({ failure: expect.stringMatching(/^.{300}$/) });
  const lazy = {
    state: 0,
    get events(): never {
      throw new Error("late");
    },
  };
  expect(fenceTransition(() => lazy)).toEqual({ failure: "the adapter failed: Error: late" });
});

import type {
  Adapter,
  AgentEvent,
  Capability,
  Effect,
  Note,
  RecordKind,
  SessionPolicy,
  SpoolRecord,
} from "@fairlead/contract";
import { defineDialect, parseJsonLine } from "@fairlead/kit";
import { exampleOpening } from "@fairlead/testing/reducer/example-opening.ts";
import { describe, expect, test } from "vitest";
import { SessionReducer } from "./session-reducer.ts";

const launchCommand = { program: "p", args: [], env: {}, cwd: "/w", stdin: "pipe" } as const;

/** An adapter whose agent writes events as JSON, and whose dialect writes each answer. It throws for `broken`. */
const adapterWith = (capabilities: readonly Capability[]): Adapter => ({
  manifest: { capabilities } as unknown as Adapter["manifest"],
  probe: () => expect.unreachable(),
  open: () => ({
    processLifetime: "session",
    protocol: "lines",
    dialect: defineDialect<object>({
      initialState: {},
      handle(writer, command) {
        if (command.type === "open") writer.effect({ type: "launch", command: launchCommand });
        if (command.type === "send")
          writer.event({ type: "turn.started", turn: command.turn, input: command.text, origin: "user" });
        if (command.type !== "answer") return;
        if (command.decision === "broken") throw new TypeError("no");
        writer.effect({ type: "write", text: JSON.stringify([command.decision, command.answer]) });
      },
      observe(writer, observation) {
        if (observation.kind === "line") writer.event(...(parseJsonLine(observation.text) as AgentEvent[]));
        if (observation.kind === "alarm") writer.warn(`The dialect got ${observation.name}`);
      },
    }),
  }),
});

/** A session with a deadline of a minute, in which a turn runs. */
class TestSession {
  readonly records: SpoolRecord[] = [];
  readonly #reducer: SessionReducer;
  events: AgentEvent[] = [];
  effects: Effect[] = [];

  readonly adapter: Adapter;

  constructor(
    adapter = adapterWith(["told-denials"]),
    policy: SessionPolicy | null = { policies: [], unattended: "wait", deadlineSeconds: 60 },
  ) {
    this.adapter = adapter;
    this.#reducer = new SessionReducer(adapter);
    this.note({ type: "opening", opening: { ...exampleOpening, ...(policy && { policy }) } });
    this.note({ type: "command", command: { type: "open" } });
    this.reduce("launch", "{}");
    this.note({ type: "command", command: { type: "send", turn: "1", text: "Go." } });
    this.events = [];
    this.effects = [];
  }

  get state() {
    return this.#reducer.state;
  }

  request(decision: string, kind: "approval" | "question" = "approval"): string {
    this.observe({ type: "decision.requested", decision, kind, title: "t" });
    return this.state.deadlines.at(-1)?.alarm ?? "";
  }

  observe(...events: AgentEvent[]): void {
    this.reduce("out", `${JSON.stringify(events)}\n`);
  }

  note(note: Note): void {
    this.reduce("note", JSON.stringify(note.type === "command" ? { ...note, rules: 6 } : note));
  }

  reduce(kind: RecordKind, text: string): void {
    const seq = this.records.length + 1;
    const record = { seq, kind, process: 1, at: 1000 * seq, id: "", bytes: Buffer.from(text) };
    this.records.push(record);
    const { outputs, pendingEffects } = this.#reducer.reduce(record);
    for (const output of outputs) if ("body" in output) this.events.push(output.body);
    this.effects.push(...pendingEffects.map(({ effect }) => effect));
  }

  get resolved(): AgentEvent[] {
    return this.events.filter(({ type }) => type === "decision.resolved");
  }
}

const message = "Nobody answered the request before its deadline.";
const timedOut = { outcome: "timed-out", by: { kind: "deadline" }, message };

describe("a deadline", () => {
  test("is an alarm from the request on, and denies the call when it rings", () => {
    const session = new TestSession();
    const alarm = session.request("d");
    expect(session.effects).toEqual([{ type: "alarm", name: alarm, after: 60_000 }]);
    expect(session.events[0]).toMatchObject({ deadline: new Date(5000 + 60_000).toISOString() });
    session.note({ type: "alarm", name: alarm });
    expect(session.resolved).toMatchObject([timedOut]);
    expect(session.effects.slice(1)).toEqual([
      { type: "disarm", name: alarm },
      { type: "write", text: JSON.stringify(["d", { type: "deny", message, interrupt: false }]) },
    ]);
    expect(session.state.deadlines).toEqual([]);
  });

  test("of an agent that cannot receive a message is told without it, and the journal has it", () => {
    const session = new TestSession(adapterWith([]));
    session.note({ type: "alarm", name: session.request("d") });
    expect(session.resolved).toMatchObject([timedOut]);
    const denial = { type: "deny", message: "", interrupt: false };
    expect(session.effects.at(-1)).toEqual({ type: "write", text: JSON.stringify(["d", denial]) });
  });

  test("counts for questions, too", () => {
    const session = new TestSession();
    session.note({ type: "alarm", name: session.request("q", "question") });
    expect(session.resolved).toMatchObject([timedOut]);
  });

  test("is cleared by an answer, and an alarm that rings anyway changes nothing", () => {
    const session = new TestSession();
    const alarm = session.request("d");
    const by = { kind: "person" } as const;
    session.note({ type: "command", command: { type: "answer", decision: "d", answer: { type: "allow" }, by } });
    expect(session.effects).toContainEqual({ type: "disarm", name: alarm });
    session.note({ type: "alarm", name: alarm });
    expect(session.resolved).toMatchObject([{ outcome: "allowed" }]);
    expect(session.events.filter(({ type }) => type === "status.reported")).toEqual([]); // the dialect did not get it
  });

  test("of an earlier request does not deny a later one with the same id", () => {
    const session = new TestSession();
    const first = session.request("d");
    session.observe({ type: "decision.resolved", decision: "d", outcome: "canceled", by: { kind: "agent" } });
    const second = session.request("d");
    expect(second).not.toBe(first);
    session.note({ type: "alarm", name: first });
    expect(session.resolved).toMatchObject([{ outcome: "canceled" }]);
    session.note({ type: "alarm", name: second });
    expect(session.resolved).toMatchObject([{ outcome: "canceled" }, timedOut]);
  });

  test("ends with the turn", () => {
    const session = new TestSession();
    const alarm = session.request("d");
    session.observe({ type: "turn.ended", turn: "1", outcome: "interrupted" });
    expect(session.effects).toContainEqual({ type: "disarm", name: alarm });
    session.note({ type: "alarm", name: alarm });
    expect(session.resolved).toMatchObject([{ outcome: "canceled" }]);
  });

  test("of a request that the dialect cannot deny cancels it", () => {
    const session = new TestSession();
    session.note({ type: "alarm", name: session.request("broken") });
    expect(session.resolved).toMatchObject([{ outcome: "canceled", by: { kind: "deadline" } }]);
  });

  test("is the same in a replay", () => {
    const session = new TestSession();
    session.note({ type: "alarm", name: session.request("d") });
    const replay = new SessionReducer(session.adapter);
    for (const record of session.records) replay.reduce(record);
    expect(replay.state).toEqual(session.state);
  });
});

test("without a policy a request is not changed, and without a deadline there is none", () => {
  const bare = new TestSession(adapterWith([]), null);
  bare.request("d");
  expect(bare.events).toEqual([{ type: "decision.requested", decision: "d", kind: "approval", title: "t" }]);
  const waiting = new TestSession(adapterWith([]), { policies: [], unattended: "wait" });
  waiting.request("d");
  expect(waiting.effects).toEqual([]);
  expect(waiting.events[0]).not.toHaveProperty("deadline");
  expect(waiting.events[0]).toHaveProperty("digest");
});

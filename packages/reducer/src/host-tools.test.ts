import { keyedMap } from "@fairlead/contract";
import type {
  Adapter,
  AgentEvent,
  Effect,
  Note,
  Opening,
  RecordKind,
  SessionPolicy,
  SpoolRecord,
} from "@fairlead/contract";
import { defineDialect, parseJsonLine } from "@fairlead/kit";
import { exampleOpening } from "@fairlead/testing/reducer/example-opening.ts";
import { expect, test } from "vitest";
import type { HostToolUse } from "./host-tools.ts";
import { SessionReducer } from "./session-reducer.ts";
import type { SessionState } from "./session-state.ts";

const launchCommand = { program: "p", args: [], env: {}, cwd: "/w", stdin: "pipe" } as const;

/** An adapter whose agent writes the ids of requests, and whose dialect writes each result. A line `end` ends the turn. */
const adapter: Adapter = {
  manifest: { capabilities: [] } as unknown as Adapter["manifest"],
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
      },
      observe(writer, observation) {
        if (observation.kind === "tool-result")
          writer.effect({ type: "write", text: `${observation.request} ${observation.outcome}: ${observation.text}` });
        if (observation.kind !== "line") return;
        if (observation.text === "end") writer.event({ type: "turn.ended", turn: "t", outcome: "completed" });
        for (const request of (parseJsonLine(observation.text) as string[] | undefined) ?? [])
          writer.effect({ type: "use", request, call: "c", tool: "note", input: request });
      },
    }),
  }),
};

const tools = [{ name: "note", description: "Notes.", inputSchema: {} }];
const asking: SessionPolicy = { policies: [], unattended: "wait" };

/** A session in which a turn runs. */
class TestSession {
  readonly #opening: Partial<Opening>;
  #reducer = new SessionReducer(adapter);
  #seq = 0;
  events: AgentEvent[] = [];
  effects: Effect[] = [];

  constructor(opening: Partial<Opening> = {}) {
    this.#opening = opening;
    this.note({ type: "opening", opening: { ...exampleOpening, tools, ...this.#opening } });
    this.note({ type: "command", command: { type: "open" } });
    this.reduce("launch", "{}");
    this.note({ type: "command", command: { type: "send", turn: "t", text: "Go." } });
  }

  reduce(kind: RecordKind, text: string): void {
    this.#seq += 1;
    const record: SpoolRecord = {
      seq: this.#seq,
      kind,
      process: 1,
      at: 0,
      id: `${this.#seq}`,
      bytes: Buffer.from(text),
    };
    const { outputs, pendingEffects } = this.#reducer.reduce(record);
    this.events.push(...outputs.flatMap((output) => ("body" in output ? [output.body] : [])));
    this.effects.push(...pendingEffects.map(({ effect }) => effect));
  }

  note(note: Note): void {
    this.reduce("note", JSON.stringify(note));
  }

  /** Lets the agent call the tool, once for each request. Returns the key of the first call. */
  use(...requests: string[]): string {
    this.reduce("out", `${JSON.stringify(requests)}\n`);
    return `${this.#seq}`;
  }

  result(use: string, text = "noted"): void {
    this.note({ type: "tool-result", use, outcome: "done", text });
  }

  answer(key: string, allow: boolean): void {
    const answer = allow ? ({ type: "allow" } as const) : ({ type: "deny", message: "No.", interrupt: false } as const);
    const command = { type: "answer", decision: `use-${key}`, answer, by: { kind: "person" } } as const;
    this.note({ type: "command", command, rules: 6 });
  }

  get state(): SessionState {
    return this.#reducer.state;
  }

  get uses(): readonly (readonly [string, HostToolUse])[] {
    return keyedMap.entries(this.state.uses);
  }

  get writes(): string[] {
    return this.effects.flatMap((effect) => (effect.type === "write" ? [effect.text] : []));
  }
}

test("calls of one record have keys of their own, and each result goes to its request", () => {
  const session = new TestSession();
  const key = session.use("a", "b");
  expect(session.uses.map(([one, { status }]) => [one, status])).toEqual([
    [key, "allowed"],
    [`${key}.1`, "allowed"],
  ]);
  session.result(`${key}.1`);
  session.result(key);
  expect(session.writes).toEqual(["b done: noted", "a done: noted"]);
  expect(session.uses).toEqual([]);
});

test("a result that nobody waits for has no effect: a second one, one of another call, and one before the decision", () => {
  const session = new TestSession({ policy: asking });
  const key = session.use("a");
  session.result(key);
  session.result("999");
  expect(session.writes).toEqual([]);
  session.answer(key, true);
  session.result(key);
  session.result(key, "again");
  expect(session.writes).toEqual(["a done: noted"]);
});

test("a person's denial reaches the agent, and the call does not become allowed later", () => {
  const session = new TestSession({ policy: asking });
  const key = session.use("a");
  session.answer(key, false);
  expect(session.writes).toEqual(["a denied: No."]);
  session.answer(key, true);
  session.result(key);
  expect(session.uses).toEqual([]);
  expect(session.writes).toHaveLength(1);
});

test("the end of the turn answers the calls that are open, whatever their state", () => {
  const session = new TestSession();
  const key = session.use("a");
  session.reduce("out", "end\n");
  expect(session.writes).toEqual(["a denied: The turn has ended."]);
  session.result(key);
  expect(session.writes).toHaveLength(1);
});

test("the exit of the process drops the open calls: nobody can be answered", () => {
  const session = new TestSession({ policy: asking });
  const key = session.use("a", "b");
  session.reduce("exit", JSON.stringify({ code: 1, signal: null }));
  expect(session.uses).toEqual([]);
  session.result(key);
  expect(session.writes).toEqual([]);
});

test("a second request with the id of an open one is refused, and the first is answered", () => {
  const session = new TestSession();
  const key = session.use("a");
  session.use("a");
  expect(session.uses).toHaveLength(1);
  expect(session.events.at(-1)).toMatchObject({ type: "status.reported", level: "warning" });
  session.result(key);
  expect(session.writes).toEqual(["a done: noted"]);
});

test("the number of open calls is limited, and the others are refused at once", () => {
  const session = new TestSession();
  session.use(...Array.from({ length: 65 }, (_one, index) => `r${index}`));
  expect(session.uses).toHaveLength(64);
  expect(session.writes).toEqual([expect.stringMatching(/^r64 denied: 64 calls/)]);
});

test.each([{}, { policy: asking }])("a call outside a turn is refused (%j)", (opening) => {
  const session = new TestSession(opening);
  session.reduce("out", "end\n");
  session.use("a");
  expect(session.writes).toEqual(["a denied: A tool can be called only in a turn."]);
});

test.each([
  ["interrupt", "The turn was interrupted.", "The turn is being stopped."],
  ["end", "The turn was interrupted.", "The turn is being stopped."],
] as const)("after the command %s, open calls are refused, and new ones, too", (type, first, second) => {
  const session = new TestSession();
  const key = session.use("a");
  session.note({ type: "command", command: { type, by: { kind: "person" } } });
  session.use("b");
  session.result(key);
  expect(session.writes).toEqual([`a denied: ${first}`, `b denied: ${second}`]);
});

test("the mode plan allows a tool that only reads, without a policy, too", () => {
  const acting = new TestSession({ mode: "plan" });
  acting.use("a");
  expect(acting.writes).toEqual(["a denied: The mode plan allows no tool that acts."]);
  const reading = new TestSession({ mode: "plan", tools: tools.map((tool) => ({ ...tool, readOnly: true as const })) });
  reading.use("a");
  expect(reading.uses).toHaveLength(1);
});

test("the inputs of open calls have a limit together, and one call is accepted whatever its size", () => {
  const session = new TestSession();
  for (const letter of ["a", "b", "c", "d"]) session.use(letter.repeat(3 * 1024 * 1024));
  expect(session.uses).toHaveLength(2);
  expect(session.writes).toEqual([
    expect.stringMatching(/^c+ denied: The calls that wait are too large\.$/),
    expect.stringMatching(/^d+ denied: The calls that wait are too large\.$/),
  ]);
});

test("a state of an older version, which has no calls, continues", () => {
  const { uses: _, ...older } = new TestSession().state;
  expect(new SessionReducer(adapter, older as SessionState).state.uses).toMatchObject({ size: 0 });
});

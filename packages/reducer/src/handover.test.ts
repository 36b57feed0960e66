import {
  findViolations,
  type Adapter,
  type EventDraft,
  type Effect,
  type Note,
  type SpoolRecord,
  type Command,
} from "@fairlead/contract";
import { exampleOpening as opening } from "@fairlead/testing/reducer/example-opening.ts";
import { expect, test } from "vitest";
import { SessionReducer } from "./session-reducer.ts";
import { exitAlarm } from "./session-lifecycle.ts";
import { defineDialect } from "@fairlead/kit";

const agent = { program: "agent", args: [], env: {}, cwd: "/w", stdin: "pipe" } as const;
const size = { columns: 80, rows: 24 };

/** An adapter whose dialect reports every observation and command. */
const adapter: Adapter = {
  manifest: { capabilities: ["take-over"] } as unknown as Adapter["manifest"],
  probe: () => expect.unreachable(),
  terminalCommand: (_opening, agentSessionId) => ({ ...agent, args: ["--resume", agentSessionId], env: { OWN: "1" } }),
  open: () => ({
    processLifetime: "session",
    protocol: "lines",
    dialect: defineDialect({
      initialState: {},
      observe(writer, observation) {
        if (observation.kind === "line") writer.event({ type: "session.changed", agentSessionId: observation.text });
        else writer.warn(observation.kind);
      },
      handle(writer, agentCommand) {
        writer.effect({ type: "write", text: agentCommand.type });
        if (agentCommand.type === "open" || agentCommand.type === "resume")
          writer.effect({ type: "launch", command: agent });
        if (agentCommand.type === "send")
          writer.event({ type: "turn.started", turn: agentCommand.turn, input: agentCommand.text, origin: "user" });
      },
    }),
  }),
};

type RecordContent = readonly [SpoolRecord["kind"], string | Uint8Array];
const note = (value: Note): RecordContent => ["note", JSON.stringify(value)];
const command = (value: Command): RecordContent => note({ type: "command", command: value });
const exit = (code: number | null, error?: string): RecordContent => [
  "exit",
  JSON.stringify({ code, signal: null, ...(error !== undefined && { error }) }),
];
const launched: RecordContent = ["launch", "{}"];
const takeOver = command({ type: "take-over", size });
const handBack = command({ type: "hand-back" });
const runningSession: readonly RecordContent[] = [
  note({ type: "opening", opening }),
  command({ type: "open" }),
  launched,
  ["out", "native-1\n"],
];
const takenOverSession: readonly RecordContent[] = [...runningSession, takeOver, exit(0), launched];

/** Reduces all records and returns the last reduction and the state. Stores the state as JSON before each record. */
function reduceAll(contents: readonly RecordContent[]) {
  let reducer = new SessionReducer(adapter);
  let reduction = null as ReturnType<SessionReducer["reduce"]> | null;
  const drafts: EventDraft[] = [];
  contents.forEach(([kind, content], index) => {
    reducer = new SessionReducer(adapter, JSON.parse(JSON.stringify(reducer.state)) as SessionReducer["state"]);
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    reduction = reducer.reduce({
      seq: index + 1,
      kind,
      process: 1,
      at: 1000,
      id: kind === "stdin-closed" ? "lease" : "",
      bytes,
    });
    drafts.push(...reduction.outputs.filter((output) => "body" in output));
  });
  const journal = drafts.map((draft, index) => ({ ...draft, sequence: index + 1, epoch: 1 }));
  expect(findViolations(journal)).toEqual([]);
  const { pendingEffects = [], outputs = [], rejection = null } = reduction ?? {};
  const effects = pendingEffects.map(({ effect }) => effect).filter(({ type }) => type !== "disarm");
  return {
    effects,
    // Tests of the recording, and of the statements about it, are in terminal-recording.test.ts.
    outputs: outputs
      .map((output) => ("body" in output ? output.body : output))
      .filter((output) => output.type !== "status.reported" || !output.message.endsWith("is not recorded.")),
    rejection,
    state: reducer.state,
  };
}
const effectTypes = (effects: readonly Effect[]): string[] =>
  effects.map((effect) => (effect.type === "write" ? effect.text : effect.type));

test("asks the agent to exit, then opens its terminal on the conversation", () => {
  expect(effectTypes(reduceAll([...runningSession, takeOver]).effects)).toEqual(["pause", "close-stdin", "alarm"]);
  const { outputs, effects } = reduceAll([...runningSession, takeOver, exit(0)]);
  expect(outputs.at(-1)).toEqual({ type: "lead.changed", lead: "human" });
  const env = { TERM: "xterm-256color", COLORTERM: "truecolor", OWN: "1" };
  expect(effects).toEqual([
    { type: "launch", command: { ...agent, args: ["--resume", "native-1"], env, stdin: "terminal", size } },
  ]);
});

test("ends an open turn as interrupted first", () => {
  const { outputs } = reduceAll([
    ...runningSession,
    command({ type: "send", turn: "t", text: "do" }),
    takeOver,
    exit(0),
  ]);
  expect(outputs.slice(-2)).toEqual([
    { type: "turn.ended", turn: "t", outcome: "interrupted" },
    { type: "lead.changed", lead: "human" },
  ]);
});

test("takes over a paused session at once", () => {
  const { outputs, effects } = reduceAll([...runningSession, command({ type: "pause" }), exit(0), takeOver]);
  expect(outputs).toEqual([{ type: "lead.changed", lead: "human" }]);
  expect(effectTypes(effects)).toEqual(["launch"]);
});

test("the dialect observes neither the terminal nor alarms while a person leads", () => {
  expect(reduceAll(takenOverSession).outputs).toEqual([]);
  expect(reduceAll([...takenOverSession, note({ type: "alarm", name: "its own" })]).outputs).toEqual([]);
  expect(reduceAll([...takenOverSession, note({ type: "alarm", name: exitAlarm })]).effects).toEqual([]);
  expect(reduceAll([...takenOverSession, exit(0)]).outputs).toEqual([{ type: "lead.changed", lead: "agent" }]);
});

test("emits the terminal's output as text with complete characters", () => {
  const euro = Buffer.from("€");
  expect(reduceAll([...takenOverSession, ["screen", euro.subarray(0, 1)]]).outputs).toEqual([]);
  const contents = [...takenOverSession, ["screen", euro.subarray(0, 1)], ["screen", euro.subarray(1)]] as const;
  expect(reduceAll(contents).outputs).toEqual([{ type: "screen", text: "€" }]);
});

test("hand-back kills the terminal once, and then the agent resumes", () => {
  expect(effectTypes(reduceAll([...takenOverSession, handBack]).effects)).toEqual(["kill"]);
  expect(reduceAll([...takenOverSession, handBack, handBack])).toMatchObject({ effects: [], rejection: null });
  const { outputs, effects, state } = reduceAll([...takenOverSession, handBack, exit(143)]);
  expect(outputs).toEqual([{ type: "lead.changed", lead: "agent" }]);
  expect(effectTypes(effects)).toEqual(["resume", "launch"]);
  expect(state).toMatchObject({ desiredState: "run", terminalSize: null });
});

test("warns about a terminal that failed, and the agent resumes", () => {
  const { outputs, effects } = reduceAll([...takenOverSession, exit(null, "no such file")]);
  expect(outputs.at(-1)).toMatchObject({
    level: "warning",
    message: "The agent's terminal ended unexpectedly: no such file.",
  });
  expect(effectTypes(effects)).toEqual(["resume", "launch"]);
});

test.each([
  ["it has not ended", [], false, null],
  ["it ended with success", [exit(0)], false, { code: 0 }],
  ["it ended with a failure", [exit(1)], false, { code: 1 }],
  ["it did not start", [exit(null, "no such file")], true, { error: "no such file" }],
  ["it was handed back and did not start", [handBack, exit(null, "no such file")], false, null],
  ["a later one is requested", [exit(null, "no such file"), launched, takeOver], false, null],
] as const)("remembers how the last terminal ended by itself: %s", (_, records, terminalFailed, terminalExit) => {
  expect(reduceAll([...takenOverSession, ...records]).state).toMatchObject({ terminalFailed, terminalExit });
});

test("an end while a person leads kills the terminal and then ends the session", () => {
  const end = command({ type: "end" });
  expect(effectTypes(reduceAll([...takenOverSession, end]).effects)).toEqual(["kill"]);
  expect(effectTypes(reduceAll([...takenOverSession, handBack, end]).effects)).toEqual([]);
  const { outputs, effects } = reduceAll([...takenOverSession, end, exit(143)]);
  expect(outputs.map(({ type }) => type)).toEqual(["lead.changed", "session.ended"]);
  expect(effects).toEqual([]);
});

test("pauses the session if the lease expires, and ends it as lost if the keeper dies", () => {
  const { outputs } = reduceAll([...takenOverSession, ["stdin-closed", ""], exit(129)]);
  expect(outputs).toEqual([
    { type: "lead.changed", lead: "agent" },
    { type: "session.paused", reason: "idle" },
  ]);
  expect(reduceAll([...takenOverSession, note({ type: "lost" })]).outputs.at(-1)).toMatchObject({
    type: "session.ended",
    reason: "lost",
  });
});

const fallback = { missingFlag: "--server", whenFlagsUnknown: true, capabilities: [] };

test.each([
  ["an agent without the capability", { capabilities: [] }],
  ["an agent whose fallback protocol lacks the capability", { capabilities: ["take-over"], fallback }],
])("rejects a take-over for %s", (_, manifest) => {
  const reducer = new SessionReducer({ ...adapter, manifest: manifest as unknown as Adapter["manifest"] });
  const records = [...runningSession, takeOver].map(([kind, content], index) => ({
    seq: index + 1,
    kind,
    process: 1,
    at: 0,
    id: "",
    bytes: Buffer.from(content as string),
  }));
  expect(records.map((record) => reducer.reduce(record).rejection).at(-1)).toBe("not-supported");
});

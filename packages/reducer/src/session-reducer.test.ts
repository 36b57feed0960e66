import fc from "fast-check";
import {
  Event,
  findViolations,
  type Adapter,
  type AgentEvent,
  type Delta,
  type Dialect,
  type EventDraft,
  type Effect,
  type Exit,
  type Note,
  type Opening,
  type RecordKind,
  type SpoolRecord,
  type Command,
} from "@fairlead/contract";
import { exampleOpening } from "@fairlead/testing/reducer/example-opening.ts";
import { describe, expect, test } from "vitest";
import { initialSessionState, type SessionState } from "./session-state.ts";
import { SessionReducer } from "./session-reducer.ts";
import { parseJsonLine } from "@fairlead/kit";
import { exitAlarm } from "./session-lifecycle.ts";
import type { Reduction } from "./emitter.ts";
import { defineDialect } from "@fairlead/kit";

/** A line of the scripted agent: the dialect emits exactly these events, deltas and effects. */
interface ScriptedOutput {
  readonly events?: readonly AgentEvent[];
  readonly deltas?: readonly Delta[];
  readonly effects?: readonly Effect[];
}
const launchCommand = { program: "scripted", args: [], env: {}, cwd: "/w", stdin: "pipe" } as const;
const delta: Delta = { type: "text.delta", text: "h" };
const launch: Effect = { type: "launch", command: launchCommand };

/** An adapter whose agent emits any events, lawful or not. */
function scriptedAdapter(processLifetime: "session" | "turn"): Adapter {
  const dialect = defineDialect<{ observations: number }>({
    initialState: { observations: 0 },
    observe(writer, observation) {
      writer.set({ observations: writer.state.observations + 1 });
      if (observation.kind !== "line") {
        const what = observation.kind === "alarm" ? `alarm ${observation.name}` : observation.kind;
        writer.event({ type: "status.reported", level: "info", message: `${writer.state.observations} ${what}` });
        return;
      }
      const output = parseJsonLine(observation.text) as ScriptedOutput | undefined;
      if (output === undefined)
        writer.event({ type: "unrecognized", reason: `unknown output: ${observation.stream}`, raw: observation.text });
      writer.event(...(output?.events ?? [])).effect(...(output?.effects ?? []));
      for (const delta of output?.deltas ?? []) writer.delta(delta);
    },
    handle(writer, command) {
      const isLaunch = command.type === "open" || command.type === "resume";
      if (isLaunch && processLifetime === "session") writer.effect(launch);
      if (command.type === "resume") writer.event({ type: "session.resumed", outcome: "fresh", agentSessionId: null });
      if (command.type === "send") {
        writer.event({ type: "turn.started", turn: command.turn, input: command.text, origin: "user" });
      }
      writer.effect({ type: "write", text: command.type });
    },
  });
  const unused = (): never => expect.unreachable();
  return {
    manifest: {} as Adapter["manifest"],
    probe: unused,
    open: () => ({ processLifetime, protocol: "lines", dialect }),
  };
}

const opening: Opening = { ...exampleOpening, agent: "scripted", mode: "plan" };

/** A spool record without its sequence number. */
type RecordContent = readonly [RecordKind, string | Uint8Array];
const note = (value: Note): RecordContent => ["note", JSON.stringify(value)];
const command = (value: Command): RecordContent => note({ type: "command", command: value });
const agentOutput = (output: ScriptedOutput): RecordContent => ["out", `${JSON.stringify(output)}\n`];
const exit = (value: Exit): RecordContent => ["exit", JSON.stringify(value)];
const send = command({ type: "send", turn: "1", text: "do" });
const cleanExit = exit({ code: 0, signal: null });
const lost = note({ type: "lost" });
const openingRecords = [note({ type: "opening", opening }), command({ type: "open" }), ["launch", "{}"] as const];

function spoolOf(contents: readonly RecordContent[]): SpoolRecord[] {
  return contents.map(([kind, content], index) => {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    return { seq: index + 1, kind, process: 1, at: 1000 * (index + 1), id: "", bytes };
  });
}

function reduceAll(contents: readonly RecordContent[], processLifetime: "session" | "turn" = "session") {
  const reducer = new SessionReducer(scriptedAdapter(processLifetime));
  const reductions = spoolOf(contents).map((record) => reducer.reduce(record));
  return { reductions, state: reducer.state, drafts: reductions.flatMap(draftsOf) };
}
const draftsOf = ({ outputs }: Reduction): EventDraft[] =>
  outputs.flatMap((output) => ("body" in output ? [output] : []));
const journalOf = (drafts: readonly EventDraft[]): Event[] =>
  drafts.map((draft, index) => ({ ...draft, sequence: index + 1, epoch: 1 }));
/** Reduces the opening records and these, and returns the last reduction. */
function reduceLast(...contents: RecordContent[]): {
  bodies: AgentEvent[];
  effects: Effect[];
  rejection: string | null;
} {
  const last = reduceAll([...openingRecords, ...contents]).reductions.at(-1) as Reduction;
  const effects = last.pendingEffects.map(({ effect }) => effect);
  return { bodies: draftsOf(last).map(({ body }) => body), effects, rejection: last.rejection };
}

const turn = fc.constantFrom("1", "2");
const call = fc.constantFrom("a", "b");
const anyEvent: fc.Arbitrary<AgentEvent> = fc.oneof(
  turn.map((name) => ({ type: "turn.ended", turn: name, outcome: "completed" }) as const),
  turn.map((name) => ({ type: "turn.started", turn: name, input: "", origin: "agent" }) as const),
  call.map((id) => ({ type: "tool.requested", call: id, name: "Bash", input: {} }) as const),
  call.map((id) => ({ type: "tool.started", call: id }) as const),
  call.map((id) => ({ type: "tool.ended", call: id, name: "Bash", ok: true, output: "" }) as const),
  call.map((id) => ({ type: "decision.requested", decision: id, kind: "approval", title: "May I?" }) as const),
  fc.constantFrom<AgentEvent>(
    { type: "text.ended", text: "hello" },
    { type: "session.changed", model: "m" },
    { type: "session.resumed", outcome: "native", agentSessionId: "n" },
    { type: "error.raised", category: "unknown", message: "oh" },
    { type: "session.ended", reason: "finished", exit: null },
  ),
);
const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  turn.map((name) => ({ type: "send", turn: name, text: "do" }) as const),
  call.map((decision) => ({ type: "answer", decision, answer: { type: "allow" }, by: { kind: "person" } }) as const),
  fc.constant({ type: "inject", text: "by the way" } as const),
  fc.constantFrom<Command>({ type: "interrupt" }, { type: "pause" }, { type: "resume" }, { type: "end" }),
);
const anyExit = fc.constantFrom<Exit>(
  { code: 0, signal: null },
  { code: 1, signal: null },
  { code: null, signal: "SIGKILL" },
  { code: null, signal: null, error: "no such file" },
);
const anyRecord: fc.Arbitrary<RecordContent> = fc.oneof(
  { weight: 8, arbitrary: fc.array(anyEvent, { maxLength: 3 }).map((events) => agentOutput({ events })) },
  { weight: 4, arbitrary: anyCommand.map(command) },
  { weight: 1, arbitrary: anyExit.map(exit) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<RecordContent>(["launch", "{}"], ["in", "x"], ["signal", "x"], ["stdin-closed", ""]),
  },
  { weight: 1, arbitrary: fc.constantFrom("other", exitAlarm).map((name) => note({ type: "alarm", name })) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom("out", "err"), fc.uint8Array({ maxLength: 20 })) },
  { weight: 1, arbitrary: fc.constant(agentOutput({ deltas: [delta], effects: [{ type: "kill" }] })) },
);
const anySpool = fc.array(anyRecord, { maxLength: 30, size: "max" }).map((more) => [...openingRecords, ...more]);
const anyProcessLifetime = fc.constantFrom("session", "turn");

describe("for any spool", () => {
  test("the journal is lawful, ids are unique, and a lost keeper ends the session", () => {
    fc.assert(
      fc.property(anySpool, anyProcessLifetime, (contents, processLifetime) => {
        const { drafts, reductions, state } = reduceAll([...contents, lost], processLifetime);
        expect(state.running).toBe(false);
        expect(findViolations(journalOf(drafts), { complete: true })).toEqual([]);
        for (const event of journalOf(drafts)) Event.parse(event);
        for (const ids of [
          drafts.map(({ id }) => id),
          reductions.flatMap(({ pendingEffects }) => pendingEffects.map(({ id }) => id)),
        ]) {
          expect(new Set(ids).size).toBe(ids.length);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("an exit closes every turn and marks the process as ended", () => {
    fc.assert(
      fc.property(anySpool, anyExit, anyProcessLifetime, (contents, exitValue, processLifetime) => {
        const { drafts, state } = reduceAll([...contents, exit(exitValue)], processLifetime);
        expect(findViolations(journalOf(drafts))).toEqual([]);
        expect(state.running).toBe(false);
        // A message that waited for the exit of a turn-long process may start the next turn.
        const startsNext = drafts.some(({ spool, body }) => spool > contents.length && body.type === "turn.started");
        const openScopes = state.ledger.open.map(({ scope }) => scope);
        expect(openScopes.includes("turn")).toBe(startsNext && processLifetime === "turn");
        expect(openScopes.filter((scope) => scope === "tool" || scope === "decision")).toEqual([]);
        // The exit of a session-long process ends the session, unless a pause was requested.
        if (processLifetime === "session") expect(state.ledger.over || state.desiredState === "pause").toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("a reducer that continues from stored JSON after any record has the same outputs and effects", () => {
    fc.assert(
      fc.property(anySpool, anyProcessLifetime, (contents, processLifetime) => {
        const expected = reduceAll(contents, processLifetime);
        let state: SessionState = initialSessionState;
        const actual = spoolOf(contents).map((record) => {
          const stored = JSON.parse(JSON.stringify(state)) as SessionState;
          const reducer = new SessionReducer(scriptedAdapter(processLifetime), stored);
          const reduction = reducer.reduce(record);
          ({ state } = reducer);
          return reduction;
        });
        expect(actual).toEqual(expected.reductions);
        expect(state).toEqual(expected.state);
      }),
      { numRuns: 100 },
    );
  });

  test("a rejected command changes nothing", () => {
    fc.assert(
      fc.property(anySpool, anyCommand, (contents, lastCommand) => {
        const before = reduceAll(contents);
        const after = reduceAll([...contents, command(lastCommand)]);
        const last = after.reductions.at(-1);
        fc.pre(last?.rejection !== null);
        expect(last).toMatchObject({ outputs: [], pendingEffects: [] });
        expect(after.state).toEqual(before.state);
      }),
    );
  });
});

test("emits session.started first, and then launches the agent", () => {
  const { reductions } = reduceAll(openingRecords);
  const { agent, adapterVersion, workspace, mode, continues } = opening;
  const startedFields = {
    name: null,
    agent,
    adapterVersion,
    agentVersion: "2",
    protocol: "lines",
    flags: [],
    workspace,
    mode,
    continues,
  };
  expect(reductions.flatMap(draftsOf).map(({ body }) => body)).toEqual([
    { type: "session.started", ...startedFields },
    { type: "status.reported", level: "info", message: "1 launched" },
  ]);
  expect(reductions[0]?.pendingEffects).toEqual([]);
  expect(reductions[1]?.pendingEffects).toEqual([
    { id: "2.0", at: 2000, effect: launch },
    { id: "2.1", at: 2000, effect: { type: "write", text: "open" } },
  ]);
});

test("emits the events, deltas and effects of a dialect unchanged", () => {
  const changed: AgentEvent = { type: "session.changed", agentSessionId: "n" };
  const last = reduceAll([
    ...openingRecords,
    agentOutput({ events: [changed], deltas: [delta], effects: [{ type: "kill" }] }),
  ]).reductions.at(-1);
  expect(last?.outputs).toMatchObject([{ body: changed, synthetic: false }, delta]);
  expect(last?.pendingEffects).toEqual([{ id: "4.0", at: 4000, effect: { type: "kill" } }]);
});

test("accepts a transition with a state only", () => {
  const dialect: Dialect<number> = {
    initialState: 0,
    observe: (state) => ({ state: state + 1 }),
    handle: (state) => ({ state }),
  };
  const reducer = new SessionReducer({
    ...scriptedAdapter("session"),
    open: () => ({ processLifetime: "session", protocol: "lines", dialect }) as never,
  });
  const [, ...reductions] = spoolOf(openingRecords).map((record) => reducer.reduce(record));
  expect(reductions).toEqual([1, 2].map(() => ({ outputs: [], pendingEffects: [], rejection: null })));
  expect(reducer.state.dialectState).toBe(1);
});

test("joins lines over records per stream, and flushes the last line at the exit", () => {
  const last = reduceLast(["out", "o"], ["err", "e"], ["out", "ut\nlast"], ["err", "rr"], cleanExit);
  expect(last.bodies.slice(0, 3)).toEqual([
    { type: "unrecognized", reason: "unknown output: out", raw: "last" },
    { type: "unrecognized", reason: "unknown output: err", raw: "err" },
    { type: "status.reported", level: "info", message: "5 exited" },
  ]);
  expect(reduceLast(["out", "half"], ["launch", "{}"], ["out", "whole\n"]).bodies).toEqual([
    { type: "unrecognized", reason: "unknown output: out", raw: "whole" },
  ]);
  expect(reduceLast(["out", Buffer.from([0xff, 0x0a])]).bodies).toEqual([
    { type: "unrecognized", reason: "a line is not UTF-8", raw: "\u00ff" },
  ]);
});

test("passes an alarm to the dialect, and kills the agent at the exit alarm", () => {
  expect(reduceLast(note({ type: "alarm", name: "mine" })).bodies).toMatchObject([{ message: "2 alarm mine" }]);
  expect(reduceLast(note({ type: "alarm", name: exitAlarm }))).toMatchObject({
    bodies: [],
    effects: [{ type: "kill" }],
  });
});

test("resolves a decision, then sends the answer to the agent, and rejects a second answer", () => {
  const decision: AgentEvent = { type: "decision.requested", decision: "d", kind: "approval", title: "May I?" };
  const answer = command({ type: "answer", decision: "d", answer: { type: "allow" }, by: { kind: "person" } });
  const pending = [send, agentOutput({ events: [decision] })];
  const resolved: AgentEvent = { type: "decision.resolved", decision: "d", outcome: "allowed", by: { kind: "person" } };
  expect(reduceLast(...pending, answer)).toMatchObject({
    bodies: [resolved],
    effects: [{ text: "answer" }],
    rejection: null,
  });
  expect(reduceLast(...pending, answer, answer)).toEqual({ bodies: [], effects: [], rejection: "decision-not-open" });
});

test("a pause waits for the agent's exit, and a resume ends it", () => {
  const pause = command({ type: "pause" });
  const alarm = { type: "alarm", name: exitAlarm };
  expect(reduceLast(pause)).toMatchObject({ bodies: [], effects: [{ text: "pause" }, { type: "close-stdin" }, alarm] });
  expect(reduceLast(pause, command({ type: "resume" })).rejection).toBe("session-not-paused");
  expect(reduceLast(pause, cleanExit).bodies.at(-1)).toEqual({ type: "session.paused", reason: "asked" });
  expect(reduceLast(pause, cleanExit, send).rejection).toBe("session-paused");
  const resume = [pause, cleanExit, command({ type: "resume" })];
  expect(reduceLast(...resume)).toMatchObject({
    bodies: [{ type: "session.unpaused" }, { type: "session.resumed" }],
    effects: [launch, {}],
  });
  expect(reduceAll([...openingRecords, ...resume]).state.desiredState).toBe("run");
  expect(reduceLast(...resume, send).bodies).toMatchObject([{ type: "turn.started" }]);
  expect(reduceLast(pause, cleanExit, command({ type: "end" })).bodies).toMatchObject([
    { type: "session.ended", exit: null },
  ]);
});

test("a turn-long process may exit after its turn, but an exit during the turn fails it", () => {
  const done = agentOutput({ events: [{ type: "turn.ended", turn: "1", outcome: "completed" }] });
  const [openingNote, open, launched] = openingRecords as [RecordContent, RecordContent, RecordContent];
  const started = [openingNote, open, send, launched];
  const afterTurn = reduceAll([...started, done, exit({ code: 1, signal: null })], "turn");
  expect(afterTurn.drafts.at(-1)?.body).toMatchObject({ type: "status.reported" });
  const duringTurn = reduceAll([...started, cleanExit], "turn");
  const last = duringTurn.drafts.slice(-2).map(({ body }) => body);
  expect(last).toMatchObject([{ category: "agent-died" }, { type: "turn.ended", outcome: "failed" }]);
  expect(duringTurn.state.ledger.over).toBe(false);
});

test.each<RecordContent>([
  command({ type: "open" }),
  ["out", "x\n"],
  ["note", '{"type":"odd"}'],
  cleanExit,
  ["in", ""],
])("throws for a spool whose first record is not an opening: %s", (...first) => {
  expect(() => reduceAll([first])).toThrow("its first record is not an opening");
});

describe("injected context", () => {
  const inject = (text: string): RecordContent => command({ type: "inject", text });
  const reduceWithContext = (...contents: RecordContent[]) => {
    const { drafts, state, reductions } = reduceAll([...openingRecords, ...contents]);
    const inputs = drafts.flatMap(({ body }) => (body.type === "turn.started" ? body.input : []));
    return { inputs, pendingContext: state.pendingContext, last: reductions.at(-1) };
  };

  test("is stored and reported, and not sent to the agent", () => {
    expect(reduceLast(inject("one"))).toEqual({
      bodies: [{ type: "context.injected", text: "one" }],
      effects: [],
      rejection: null,
    });
  });

  test("is sent with the next message only", () => {
    const nextSend = command({ type: "send", turn: "2", text: "more" });
    const turnEnded = agentOutput({ events: [{ type: "turn.ended", turn: "1", outcome: "completed" }] });
    expect(reduceWithContext(inject("one"), inject("two"), send, turnEnded, nextSend)).toMatchObject({
      inputs: ["<context>\none\n</context>\n\n<context>\ntwo\n</context>\n\ndo", "more"],
      pendingContext: [],
    });
  });

  test("stays pending when the message is rejected", () => {
    const rejected = reduceWithContext(inject("one"), command({ type: "pause" }), send);
    expect(rejected).toMatchObject({ inputs: [], pendingContext: ["one"], last: { rejection: "session-paused" } });
  });

  test("is accepted during a pause, and rejected after the end", () => {
    expect(reduceWithContext(command({ type: "pause" }), cleanExit, inject("one"))).toMatchObject({
      pendingContext: ["one"],
    });
    expect(reduceLast(command({ type: "end" }), inject("one"))).toMatchObject({
      bodies: [],
      rejection: "session-ended",
    });
  });
});

test("continues from a state of an older version that lacks fields", () => {
  const { pendingContext: _, opening: current, ...older } = reduceAll(openingRecords).state;
  const { name: __, ...unnamed } = current as Opening;
  const reducer = new SessionReducer(scriptedAdapter("session"), {
    ...older,
    opening: unnamed,
  } as unknown as SessionState);
  expect(reducer.state).toEqual(reduceAll(openingRecords).state);
});

describe("a decision that a command cancels", () => {
  const request: AgentEvent = { type: "decision.requested", decision: "d", kind: "approval", title: "May I?" };
  const withdrawal: AgentEvent = {
    type: "decision.resolved",
    decision: "d",
    outcome: "canceled",
    by: { kind: "agent" },
  };
  const turnEnd: AgentEvent = { type: "turn.ended", turn: "1", outcome: "interrupted" };
  const by = { kind: "person", label: "ada" } as const;
  const resolutions = (...contents: RecordContent[]): unknown[] =>
    reduceAll([...openingRecords, send, agentOutput({ events: [request] }), ...contents])
      .drafts.map(({ body }) => body)
      .flatMap((body) => (body.type === "decision.resolved" ? [[body.outcome, body.by]] : []));

  test.each<[string, ...RecordContent[]]>([
    [
      "an interrupt, after which the agent withdraws it",
      command({ type: "interrupt", by }),
      agentOutput({ events: [withdrawal] }),
    ],
    ["an interrupt, after which the turn ends", command({ type: "interrupt", by }), agentOutput({ events: [turnEnd] })],
    ["a pause", command({ type: "pause", by }), cleanExit],
    ["the end of the session", command({ type: "end", by }), cleanExit],
  ])("by %s is not called the agent's", (_, ...contents) => {
    expect(resolutions(...contents)).toEqual([["canceled", by]]);
  });

  test("by the interrupt of an older spool was canceled by a person", () => {
    const contents = [command({ type: "interrupt" }), agentOutput({ events: [withdrawal] })];
    expect(resolutions(...contents)).toEqual([["canceled", { kind: "person" }]]);
  });

  test("by the agent alone is the agent's, also in the turn after an interrupted one", () => {
    expect(resolutions(agentOutput({ events: [withdrawal] }))).toEqual([["canceled", { kind: "agent" }]]);
    const nextTurn = [
      command({ type: "interrupt", by }),
      agentOutput({ events: [turnEnd] }),
      command({ type: "send", turn: "2", text: "more" }),
      agentOutput({ events: [request, withdrawal] }),
    ];
    expect(resolutions(...nextTurn)).toEqual([
      ["canceled", by],
      ["canceled", { kind: "agent" }],
    ]);
  });

  test("by the loss of the process is the runtime's", () => {
    expect(resolutions(lost)).toEqual([["canceled", { kind: "runtime" }]]);
  });
});

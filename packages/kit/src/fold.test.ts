import fc from "fast-check";
import {
  Event,
  lawful,
  type Adapter,
  type AgentEvent,
  type Delta,
  type Draft,
  type Effect,
  type Exit,
  type Note,
  type Opening,
  type RecordKind,
  type SpoolRecord,
  type Wish,
} from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { emptyFold, type FoldState } from "./fold-state.ts";
import { Fold } from "./fold.ts";
import { parseJsonLine } from "./json-line.ts";
import { leaveAlarm } from "./lifecycle.ts";
import type { Folded } from "./telling.ts";
import { writtenDialect } from "./written-dialect.ts";

/** A line of the parrot: it wants exactly this told, passed on and done. */
interface Parroted {
  readonly tell?: readonly AgentEvent[];
  readonly pass?: readonly Delta[];
  readonly order?: readonly Effect[];
}
const line = { program: "parrot", args: [], env: {}, cwd: "/w", stdin: "pipe" } as const;
const delta: Delta = { type: "text.delta", text: "h" };
const launch: Effect = { type: "launch", line };

/** An agent that says whatever the test has it say, lawful or not. */
function parrot(life: "session" | "turn"): Adapter {
  const dialect = writtenDialect<{ heard: number }>({
    start: { heard: 0 },
    hear(writer, heard) {
      writer.set({ heard: writer.state.heard + 1 });
      if (heard.kind !== "line") {
        const what = heard.kind === "alarm" ? `alarm ${heard.name}` : heard.kind;
        writer.event({ type: "status.reported", level: "info", message: `${writer.state.heard} ${what}` });
        return;
      }
      const said = parseJsonLine(heard.text) as Parroted | undefined;
      if (said === undefined)
        writer.event({ type: "unrecognized", reason: `not mine: ${heard.stream}`, raw: heard.text });
      writer.event(...(said?.tell ?? [])).effect(...(said?.order ?? []));
      for (const delta of said?.pass ?? []) writer.delta(delta);
    },
    ask(writer, wish) {
      if (wish.type === "open" || wish.type === "resume") writer.effect(launch);
      if (wish.type === "resume") writer.event({ type: "session.resumed", outcome: "fresh", agentSessionId: null });
      if (wish.type === "send") {
        writer.event({ type: "turn.started", turn: wish.turn, input: wish.text, origin: "user" });
      }
      writer.effect({ type: "say", text: wish.type });
    },
  });
  const unused = (): never => expect.unreachable();
  return { manifest: {} as Adapter["manifest"], probe: unused, open: () => ({ life, protocol: "lines", dialect }) };
}

const opening: Opening = {
  session: "s",
  name: null,
  agent: "parrot",
  adapterVersion: "1",
  workspace: "/w",
  mode: "plan",
  settings: {},
  finding: { installed: true, program: "parrot", version: "2", flags: [], auth: "none", problems: [] },
  continues: null,
};

/** What happens in a spool, without its number. */
type Happening = readonly [RecordKind, string | Uint8Array];
const note = (value: Note): Happening => ["note", JSON.stringify(value)];
const wish = (value: Wish): Happening => note({ type: "wish", wish: value });
const says = (what: Parroted): Happening => ["out", `${JSON.stringify(what)}\n`];
const exit = (value: Exit): Happening => ["exit", JSON.stringify(value)];
const send = wish({ type: "send", turn: "1", text: "do" });
const gone = exit({ code: 0, signal: null });
const lost = note({ type: "lost" });
const beginning = [note({ type: "opening", opening }), wish({ type: "open" }), ["launch", "{}"] as const];

function spoolOf(happenings: readonly Happening[]): SpoolRecord[] {
  return happenings.map(([kind, what], index) => {
    const bytes = typeof what === "string" ? Buffer.from(what) : what;
    return { seq: index + 1, kind, process: 1, at: 1000 * (index + 1), id: "", bytes };
  });
}

function foldAll(happenings: readonly Happening[], life: "session" | "turn" = "session") {
  const fold = new Fold(parrot(life));
  const folded = spoolOf(happenings).map((record) => fold.take(record));
  return { folded, state: fold.state, drafts: folded.flatMap(draftsOf) };
}
const draftsOf = ({ told }: Folded): Draft[] => told.flatMap((one) => ("body" in one ? [one] : []));
const journalOf = (drafts: readonly Draft[]): Event[] =>
  drafts.map((draft, index) => ({ ...draft, sequence: index + 1, epoch: 1 }));
/** What came of the last of some happenings, after the beginning. */
function lastOf(...happenings: Happening[]): { bodies: AgentEvent[]; effects: Effect[]; refusal: string | null } {
  const last = foldAll([...beginning, ...happenings]).folded.at(-1) as Folded;
  const effects = last.orders.map(({ effect }) => effect);
  return { bodies: draftsOf(last).map(({ body }) => body), effects, refusal: last.refusal };
}

const turn = fc.constantFrom("1", "2");
const call = fc.constantFrom("a", "b");
const anyTold: fc.Arbitrary<AgentEvent> = fc.oneof(
  turn.map((name) => ({ type: "turn.ended", turn: name, outcome: "completed" }) as const),
  turn.map((name) => ({ type: "turn.started", turn: name, input: "", origin: "agent" }) as const),
  call.map((one) => ({ type: "tool.requested", call: one, name: "Bash", input: {} }) as const),
  call.map((one) => ({ type: "tool.started", call: one }) as const),
  call.map((one) => ({ type: "tool.ended", call: one, name: "Bash", ok: true, output: "" }) as const),
  call.map((one) => ({ type: "decision.requested", decision: one, kind: "approval", title: "May I?" }) as const),
  fc.constantFrom<AgentEvent>(
    { type: "text.ended", text: "hello" },
    { type: "session.changed", model: "m" },
    { type: "session.resumed", outcome: "native", agentSessionId: "n" },
    { type: "error.raised", category: "unknown", message: "oh" },
    { type: "session.ended", reason: "finished", exit: null },
  ),
);
const anyWish: fc.Arbitrary<Wish> = fc.oneof(
  turn.map((name) => ({ type: "send", turn: name, text: "do" }) as const),
  call.map((decision) => ({ type: "answer", decision, answer: { type: "allow" }, by: "user" }) as const),
  fc.constant({ type: "inject", text: "by the way" } as const),
  fc.constantFrom<Wish>({ type: "interrupt" }, { type: "pause" }, { type: "resume" }, { type: "end" }),
);
const anyExit = fc.constantFrom<Exit>(
  { code: 0, signal: null },
  { code: 1, signal: null },
  { code: null, signal: "SIGKILL" },
  { code: null, signal: null, error: "no such file" },
);
const anyHappening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 8, arbitrary: fc.array(anyTold, { maxLength: 3 }).map((tell) => says({ tell })) },
  { weight: 4, arbitrary: anyWish.map(wish) },
  { weight: 1, arbitrary: anyExit.map(exit) },
  { weight: 1, arbitrary: fc.constantFrom<Happening>(["launch", "{}"], ["in", "x"], ["signal", "x"], ["hangup", ""]) },
  { weight: 1, arbitrary: fc.constantFrom("other", leaveAlarm).map((name) => note({ type: "alarm", name })) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom("out", "err"), fc.uint8Array({ maxLength: 20 })) },
  { weight: 1, arbitrary: fc.constant(says({ pass: [delta], order: [{ type: "kill" }] })) },
);
const anySpool = fc.array(anyHappening, { maxLength: 30, size: "max" }).map((more) => [...beginning, ...more]);
const anyLife = fc.constantFrom("session", "turn");

describe("whatever happens,", () => {
  test("the journal is lawful, ids are used once, and when the keeper is lost it comes to its end", () => {
    fc.assert(
      fc.property(anySpool, anyLife, (happenings, life) => {
        const { drafts, folded, state } = foldAll([...happenings, lost], life);
        expect(state.running).toBe(false);
        expect(lawful(journalOf(drafts), { whole: true })).toEqual([]);
        for (const event of journalOf(drafts)) Event.parse(event);
        for (const ids of [drafts.map(({ id }) => id), folded.flatMap(({ orders }) => orders.map(({ id }) => id))]) {
          expect(new Set(ids).size).toBe(ids.length);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("an exit leaves no turn open and no process thought to be running", () => {
    fc.assert(
      fc.property(anySpool, anyExit, anyLife, (happenings, how, life) => {
        const { drafts, state } = foldAll([...happenings, exit(how)], life);
        expect(lawful(journalOf(drafts))).toEqual([]);
        expect(state.running).toBe(false);
        expect(state.ledger.open.filter(({ scope }) => scope !== "session" && scope !== "pause")).toEqual([]);
        // An agent that lives as long as the session ends it by leaving, unless a pause was asked for.
        if (life === "session") expect(state.ledger.over || state.aim === "pause").toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("a fold that is cut after any record and taken up from stored JSON says and orders the same", () => {
    fc.assert(
      fc.property(anySpool, anyLife, (happenings, life) => {
        const whole = foldAll(happenings, life);
        let state: FoldState = emptyFold;
        const cut = spoolOf(happenings).map((record) => {
          const fold = new Fold(parrot(life), JSON.parse(JSON.stringify(state)) as FoldState);
          const folded = fold.take(record);
          ({ state } = fold);
          return folded;
        });
        expect(cut).toEqual(whole.folded);
        expect(state).toEqual(whole.state);
      }),
      { numRuns: 100 },
    );
  });

  test("a wish that is refused changes nothing", () => {
    fc.assert(
      fc.property(anySpool, anyWish, (happenings, asked) => {
        const before = foldAll(happenings);
        const after = foldAll([...happenings, wish(asked)]);
        const last = after.folded.at(-1);
        fc.pre(last?.refusal !== null);
        expect(last).toMatchObject({ told: [], orders: [] });
        expect(after.state).toEqual(before.state);
      }),
    );
  });
});

test("a session begins with what is about to be started; then the agent is launched", () => {
  const { folded } = foldAll(beginning);
  const { agent, adapterVersion, workspace, mode, continues } = opening;
  const begun = {
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
  expect(folded.flatMap(draftsOf).map(({ body }) => body)).toEqual([
    { type: "session.started", ...begun },
    { type: "status.reported", level: "info", message: "1 launched" },
  ]);
  expect(folded[0]?.orders).toEqual([]);
  expect(folded[1]?.orders).toEqual([
    { id: "2.0", at: 2000, effect: launch },
    { id: "2.1", at: 2000, effect: { type: "say", text: "open" } },
  ]);
});

test("what a dialect tells, passes on and orders comes out as it went in", () => {
  const changed: AgentEvent = { type: "session.changed", agentSessionId: "n" };
  const last = foldAll([...beginning, says({ tell: [changed], pass: [delta], order: [{ type: "kill" }] })]).folded.at(
    -1,
  );
  expect(last?.told).toMatchObject([{ body: changed, synthetic: false }, delta]);
  expect(last?.orders).toEqual([{ id: "4.0", at: 4000, effect: { type: "kill" } }]);
});

test("a dialect may return nothing but its state", () => {
  const dialect = { start: 0, hear: (state: number) => ({ state: state + 1 }), ask: (state: number) => ({ state }) };
  const fold = new Fold({ ...parrot("session"), open: () => ({ life: "session", dialect }) as never });
  const [, ...folded] = spoolOf(beginning).map((record) => fold.take(record));
  expect(folded).toEqual([1, 2].map(() => ({ told: [], orders: [], refusal: null })));
  expect(fold.state.dialect).toBe(1);
});

test("lines are put together over records, each stream for itself, and the rest is heard when the agent leaves", () => {
  const told = lastOf(["out", "o"], ["err", "e"], ["out", "ut\nlast"], ["err", "rr"], gone);
  expect(told.bodies.slice(0, 3)).toEqual([
    { type: "unrecognized", reason: "not mine: out", raw: "last" },
    { type: "unrecognized", reason: "not mine: err", raw: "err" },
    { type: "status.reported", level: "info", message: "5 exited" },
  ]);
  expect(lastOf(["out", "half"], ["launch", "{}"], ["out", "whole\n"]).bodies).toEqual([
    { type: "unrecognized", reason: "not mine: out", raw: "whole" },
  ]);
  expect(lastOf(["out", Buffer.from([0xff, 0x0a])]).bodies).toEqual([
    { type: "unrecognized", reason: "a line is not UTF-8", raw: "\u00ff" },
  ]);
});

test("an alarm of the dialect is heard by it; the one for leaving ends the agent", () => {
  expect(lastOf(note({ type: "alarm", name: "mine" })).bodies).toMatchObject([{ message: "2 alarm mine" }]);
  expect(lastOf(note({ type: "alarm", name: leaveAlarm }))).toMatchObject({ bodies: [], effects: [{ type: "kill" }] });
});

test("a decision is answered once: resolved first, then said to the agent; a second answer is refused", () => {
  const ask: AgentEvent = { type: "decision.requested", decision: "d", kind: "approval", title: "May I?" };
  const answer = wish({ type: "answer", decision: "d", answer: { type: "allow" }, by: "user" });
  const asked = [send, says({ tell: [ask] })];
  const resolved: AgentEvent = { type: "decision.resolved", decision: "d", outcome: "allowed", by: "user" };
  expect(lastOf(...asked, answer)).toMatchObject({ bodies: [resolved], effects: [{ text: "answer" }], refusal: null });
  expect(lastOf(...asked, answer, answer)).toEqual({ bodies: [], effects: [], refusal: "decision-not-open" });
});

test("a pause asks the agent to leave, waits for it, and is taken back by a resume", () => {
  const pause = wish({ type: "pause" });
  const alarm = { type: "alarm", name: leaveAlarm };
  expect(lastOf(pause)).toMatchObject({ bodies: [], effects: [{ text: "pause" }, { type: "hangup" }, alarm] });
  expect(lastOf(pause, wish({ type: "resume" })).refusal).toBe("session-not-paused");
  expect(lastOf(pause, gone).bodies.at(-1)).toEqual({ type: "session.paused", reason: "asked" });
  expect(lastOf(pause, gone, send).refusal).toBe("session-paused");
  const resume = [pause, gone, wish({ type: "resume" })];
  expect(lastOf(...resume)).toMatchObject({ bodies: [{ type: "session.resumed" }], effects: [launch, {}] });
  expect(foldAll([...beginning, ...resume]).state.aim).toBe("run");
  expect(lastOf(...resume, send).bodies).toMatchObject([{ type: "turn.started" }]);
  expect(lastOf(pause, gone, wish({ type: "end" })).bodies).toMatchObject([{ type: "session.ended", exit: null }]);
});

test("an agent that lives for a turn may leave after it; if it leaves during it, the turn has failed", () => {
  const done = says({ tell: [{ type: "turn.ended", turn: "1", outcome: "completed" }] });
  const left = foldAll([...beginning, send, done, exit({ code: 1, signal: null })], "turn");
  expect(left.drafts.at(-1)?.body).toMatchObject({ type: "status.reported" });
  const cut = foldAll([...beginning, send, gone], "turn");
  const last = cut.drafts.slice(-2).map(({ body }) => body);
  expect(last).toMatchObject([{ category: "agent-died" }, { type: "turn.ended", outcome: "failed" }]);
  expect(cut.state.ledger.over).toBe(false);
});

test("a spool that does not begin with its opening, or is not what a keeper writes, is refused", () => {
  expect(() => foldAll([wish({ type: "open" })])).toThrow("A spool begins with its opening.");
  expect(() => foldAll([["out", "x\n"]])).toThrow("A spool begins with its opening.");
  expect(() => foldAll([["note", '{"type":"odd"}']])).toThrow();
});

describe("what is injected", () => {
  const inject = (text: string): Happening => wish({ type: "inject", text });
  const told = (...happenings: Happening[]) => {
    const { drafts, state, folded } = foldAll([...beginning, ...happenings]);
    const inputs = drafts.flatMap(({ body }) => (body.type === "turn.started" ? body.input : []));
    return { inputs, injected: state.injected, last: folded.at(-1) };
  };

  test("is kept and told of, and the agent is not asked", () => {
    expect(lastOf(inject("one"))).toEqual({
      bodies: [{ type: "context.injected", text: "one" }],
      effects: [],
      refusal: null,
    });
  });

  test("goes with the next message, and only with that", () => {
    const again = wish({ type: "send", turn: "2", text: "more" });
    const over = says({ tell: [{ type: "turn.ended", turn: "1", outcome: "completed" }] });
    expect(told(inject("one"), inject("two"), send, over, again)).toMatchObject({
      inputs: ["<context>\none\n</context>\n\n<context>\ntwo\n</context>\n\ndo", "more"],
      injected: [],
    });
  });

  test("stays when the message is refused", () => {
    const refused = told(inject("one"), wish({ type: "pause" }), send);
    expect(refused).toMatchObject({ inputs: [], injected: ["one"], last: { refusal: "session-paused" } });
  });

  test("is taken during a pause, and not after the end", () => {
    expect(told(wish({ type: "pause" }), gone, inject("one"))).toMatchObject({ injected: ["one"] });
    expect(lastOf(wish({ type: "end" }), inject("one"))).toMatchObject({ bodies: [], refusal: "session-ended" });
  });
});

test("a fold that an older version kept, which knew less, is taken up", () => {
  const { injected: _, opening: now, ...older } = foldAll(beginning).state;
  const { name: __, ...unnamed } = now as Opening;
  const fold = new Fold(parrot("session"), { ...older, opening: unnamed } as unknown as FoldState);
  expect(fold.state).toEqual(foldAll(beginning).state);
});

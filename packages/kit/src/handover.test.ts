import {
  lawful,
  type Adapter,
  type Draft,
  type Effect,
  type Note,
  type Opening,
  type SpoolRecord,
  type Wish,
} from "@fairlead/contract";
import { expect, test } from "vitest";
import { Fold } from "./fold.ts";
import { leaveAlarm } from "./lifecycle.ts";
import { writtenDialect } from "./written-dialect.ts";

const agent = { program: "agent", args: [], env: {}, cwd: "/w", stdin: "pipe" } as const;
const size = { columns: 80, rows: 24 };

/** An agent that says what it hears and is asked for. */
const adapter: Adapter = {
  manifest: { capabilities: ["take-over"] } as unknown as Adapter["manifest"],
  probe: () => expect.unreachable(),
  terminal: (_opening, agentSessionId) => ({ ...agent, args: ["--resume", agentSessionId], env: { OWN: "1" } }),
  open: () => ({
    life: "session",
    protocol: "lines",
    dialect: writtenDialect({
      start: {},
      hear(writer, heard) {
        if (heard.kind === "line") writer.event({ type: "session.changed", agentSessionId: heard.text });
        else writer.warn(heard.kind);
      },
      ask(writer, wish) {
        writer.effect({ type: "say", text: wish.type });
        if (wish.type === "open" || wish.type === "resume") writer.effect({ type: "launch", line: agent });
        if (wish.type === "send")
          writer.event({ type: "turn.started", turn: wish.turn, input: wish.text, origin: "user" });
      },
    }),
  }),
};

const opening = {
  session: "s",
  name: null,
  agent: "a",
  adapterVersion: "1",
  workspace: "/w",
  mode: "default",
} as const;
const finding = { installed: true, program: "agent", version: "2", flags: [], auth: "none", problems: [] } as const;
const first = { ...opening, settings: {}, finding, continues: null } as unknown as Opening;

type Happening = readonly [SpoolRecord["kind"], string | Uint8Array];
const note = (value: Note): Happening => ["note", JSON.stringify(value)];
const wish = (value: Wish): Happening => note({ type: "wish", wish: value });
const exit = (code: number | null, error?: string): Happening => [
  "exit",
  JSON.stringify({ code, signal: null, ...(error !== undefined && { error }) }),
];
const launched: Happening = ["launch", "{}"];
const take = wish({ type: "take-over", size });
const back = wish({ type: "hand-back" });
const talking: readonly Happening[] = [
  note({ type: "opening", opening: first }),
  wish({ type: "open" }),
  launched,
  ["out", "native-1\n"],
];
const taken: readonly Happening[] = [...talking, take, exit(0), launched];

/** What came of the last of some happenings, with the state after it. The state is stored and read again before each. */
function lastOf(happenings: readonly Happening[]) {
  let fold = new Fold(adapter);
  let folded = null as ReturnType<Fold["take"]> | null;
  const told: Draft[] = [];
  happenings.forEach(([kind, what], index) => {
    fold = new Fold(adapter, JSON.parse(JSON.stringify(fold.state)) as Fold["state"]);
    const bytes = typeof what === "string" ? Buffer.from(what) : what;
    folded = fold.take({ seq: index + 1, kind, process: 1, at: 1000, id: kind === "hangup" ? "lease" : "", bytes });
    told.push(...folded.told.filter((one) => "body" in one));
  });
  const journal = told.map((one, index) => ({ ...one, sequence: index + 1, epoch: 1 }));
  expect(lawful(journal)).toEqual([]);
  const { orders = [], told: last = [], refusal = null } = folded ?? {};
  const effects = orders.map(({ effect }) => effect).filter(({ type }) => type !== "disarm");
  return { effects, told: last.map((one) => ("body" in one ? one.body : one)), refusal, state: fold.state };
}
const types = (effects: readonly Effect[]): string[] =>
  effects.map((one) => (one.type === "say" ? one.text : one.type));

test("the agent is let go as in a pause, and when it is gone its terminal is opened on the conversation", () => {
  expect(types(lastOf([...talking, take]).effects)).toEqual(["pause", "hangup", "alarm"]);
  const { told, effects } = lastOf([...talking, take, exit(0)]);
  expect(told.at(-1)).toEqual({ type: "lead.changed", lead: "human" });
  const env = { TERM: "xterm-256color", COLORTERM: "truecolor", OWN: "1" };
  expect(effects).toEqual([
    { type: "launch", line: { ...agent, args: ["--resume", "native-1"], env, stdin: "terminal", size } },
  ]);
});

test("an open turn is ended as interrupted first", () => {
  const { told } = lastOf([...talking, wish({ type: "send", turn: "t", text: "do" }), take, exit(0)]);
  expect(told.slice(-2)).toEqual([
    { type: "turn.ended", turn: "t", outcome: "interrupted" },
    { type: "lead.changed", lead: "human" },
  ]);
});

test("a paused session is taken over at once", () => {
  const { told, effects } = lastOf([...talking, wish({ type: "pause" }), exit(0), take]);
  expect(told).toEqual([{ type: "lead.changed", lead: "human" }]);
  expect(types(effects)).toEqual(["launch"]);
});

test("the dialect hears nothing of the terminal, nor of alarms meanwhile", () => {
  expect(lastOf(taken).told).toEqual([]);
  expect(lastOf([...taken, note({ type: "alarm", name: "its own" })]).told).toEqual([]);
  expect(lastOf([...taken, note({ type: "alarm", name: leaveAlarm })]).effects).toEqual([]);
  expect(lastOf([...taken, exit(0)]).told).toEqual([{ type: "lead.changed", lead: "agent" }]);
});

test("what the terminal shows is passed on as text, with whole characters", () => {
  const euro = Buffer.from("€");
  expect(lastOf([...taken, ["screen", euro.subarray(0, 1)]]).told).toEqual([]);
  const whole = [...taken, ["screen", euro.subarray(0, 1)], ["screen", euro.subarray(1)]] as const;
  expect(lastOf(whole).told).toEqual([{ type: "screen", text: "€" }]);
});

test("handing back ends the terminal, once; then the agent resumes", () => {
  expect(types(lastOf([...taken, back]).effects)).toEqual(["kill"]);
  expect(lastOf([...taken, back, back])).toMatchObject({ effects: [], refusal: null });
  const { told, effects, state } = lastOf([...taken, back, exit(143)]);
  expect(told).toEqual([{ type: "lead.changed", lead: "agent" }]);
  expect(types(effects)).toEqual(["resume", "launch"]);
  expect(state).toMatchObject({ aim: "run", terminal: null });
});

test("a terminal that fails by itself says so, and the agent resumes", () => {
  const { told, effects } = lastOf([...taken, exit(null, "no such file")]);
  expect(told.at(-1)).toMatchObject({
    level: "warning",
    message: "The agent's terminal ended by itself: no such file.",
  });
  expect(types(effects)).toEqual(["resume", "launch"]);
});

test("an end while a person leads ends the terminal and then the session", () => {
  const end = wish({ type: "end" });
  expect(types(lastOf([...taken, end]).effects)).toEqual(["kill"]);
  expect(types(lastOf([...taken, back, end]).effects)).toEqual([]);
  const { told, effects } = lastOf([...taken, end, exit(143)]);
  expect(told.map((one) => one.type)).toEqual(["lead.changed", "session.ended"]);
  expect(effects).toEqual([]);
});

test("a person who does not come back is paused for, and a keeper that dies is lost", () => {
  const { told } = lastOf([...taken, ["hangup", ""], exit(129)]);
  expect(told).toEqual([
    { type: "lead.changed", lead: "agent" },
    { type: "session.paused", reason: "idle" },
  ]);
  expect(lastOf([...taken, note({ type: "lost" })]).told.at(-1)).toMatchObject({
    type: "session.ended",
    reason: "lost",
  });
});

test("an agent without a terminal cannot be taken over", () => {
  const fold = new Fold({ ...adapter, manifest: { capabilities: [] } as unknown as Adapter["manifest"] });
  const records = [...talking, take].map(([kind, what], index) => ({
    seq: index + 1,
    kind,
    process: 1,
    at: 0,
    id: "",
    bytes: Buffer.from(what as string),
  }));
  expect(records.map((record) => fold.take(record).refusal).at(-1)).toBe("not-supported");
});

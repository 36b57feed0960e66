import {
  commandRules,
  findViolations,
  type Adapter,
  type AgentEvent,
  type Command,
  type EventDraft,
  type Note,
  type RecordKind,
  type SpendingLimits,
} from "@fairlead/contract";
import { defineDialect, finishTurn, initialConversation, reportUsage, sessionIdentified, submit } from "@fairlead/kit";
import type { Meters } from "@fairlead/kit";
import { exampleOpening } from "@fairlead/testing/reducer/example-opening.ts";
import { describe, expect, test } from "vitest";
import type { Emitter } from "../emitter.ts";
import { SessionReducer } from "../session-reducer.ts";
import { addReportedUsage, limitAlarm, listUnpricedModels, spendingLimits, spentOf } from "./spending-limits.ts";

const noMeters: Meters = {};
const launchCommand = { program: "p", args: [], env: {}, cwd: "/w", stdin: "pipe" } as const;

/**
 * An adapter on the kit. Lines of its agent: `done`, `stopped`, `use TOKENS USD`, `ask CALL`, `id`, `call CALL PARENT`,
 * `begin CALL`, `end CALL`. It reports the end of an interrupted turn with `stopped`.
 */
function createAdapter(processLifetime: "session" | "turn"): Adapter {
  const launch = { type: "launch", command: launchCommand } as const;
  const start = () => (processLifetime === "turn" ? launch : ({ type: "write", text: "" } as const));
  const dialect = defineDialect({
    initialState: { ...initialConversation, meters: noMeters },
    handle(writer, command) {
      if ((command.type === "open" || command.type === "resume") && processLifetime === "session")
        writer.effect(launch);
      if (command.type === "resume") writer.event({ type: "session.resumed", outcome: "fresh", agentSessionId: null });
      if (command.type === "send") submit(writer, command, start);
      if (command.type === "pause" && writer.state.current !== null)
        writer.effect({ type: "signal", signal: "SIGINT" });
    },
    observe(writer, observation) {
      const [word, ...numbers] = observation.kind === "line" ? observation.text.split(" ") : [""];
      const [output = 0, cost] = numbers.map(Number);
      const tokens = { uncached: 0, cacheRead: 1_000_000, cacheWrite: 0, output, reasoning: 0 };
      if (word === "use") reportUsage(writer, { kind: "delta", provider: "p", model: "m", tokens, cost: cost ?? null });
      if (word === "id") sessionIdentified(writer, "n", null);
      const [call, parent] = numbers;
      if (word === "ask") {
        const asked = call === undefined ? {} : { call };
        writer.event({ type: "decision.requested", decision: "d", kind: "approval", title: "t", input: {}, ...asked });
      }
      if (call !== undefined && word === "call")
        writer.event({ type: "tool.requested", call, name: "t", input: {}, ...(parent !== undefined && { parent }) });
      if (call !== undefined && word === "begin") writer.event({ type: "tool.started", call });
      if (call !== undefined && word === "end")
        writer.event({ type: "tool.ended", call, name: "t", ok: true, output: "" });
      if (word === "done") finishTurn(writer, "completed", start);
      if (word === "stopped") finishTurn(writer, "interrupted", start);
      if (observation.kind === "exited") writer.set({ current: null, queue: [] });
    },
  });
  const manifest = {
    capabilities: ["take-over", "interrupt"],
    messages: "independent",
  } as unknown as Adapter["manifest"];
  return {
    manifest,
    probe: () => expect.unreachable(),
    terminalCommand: () => ({ ...launchCommand, program: "terminal" }),
    open: () => ({ processLifetime, protocol: "lines", dialect }),
  };
}

interface SimulatedSessionOptions {
  readonly limits?: SpendingLimits;
  readonly spent?: { usd: number; tokens: number; seconds: number };
  readonly processLifetime?: "session" | "turn";
}

/** A session whose records the test writes. The alarms ring when their time comes. */
class SimulatedSession {
  readonly reducer: SessionReducer;
  readonly events: EventDraft[] = [];
  readonly effects: string[] = [];
  now = 1000;
  alarmAt: number | null = null;
  #seq = 0;

  constructor({ limits, spent, processLifetime = "session" }: SimulatedSessionOptions) {
    this.reducer = new SessionReducer(createAdapter(processLifetime));
    const opening = { ...exampleOpening, ...(limits && { limits }), ...(spent && { spent }) };
    this.note({ type: "opening", opening });
    this.command({ type: "open" });
    if (processLifetime === "session") this.record("launch", "{}");
  }

  /** Writes a record, and returns the rejection of a command. */
  record(kind: RecordKind, text: string): string | null {
    this.#seq += 1;
    const record = { seq: this.#seq, kind, process: 1, at: this.now, id: "x", bytes: Buffer.from(text) };
    const { outputs, pendingEffects, rejection } = this.reducer.reduce(record);
    for (const output of outputs) if ("body" in output) this.events.push(output);
    for (const { effect } of pendingEffects) {
      this.effects.push(effect.type);
      if (effect.type === "alarm" && effect.name === limitAlarm) this.alarmAt = this.now + effect.after;
      if (effect.type === "disarm" && effect.name === limitAlarm) this.alarmAt = null;
    }
    return rejection;
  }

  note(note: Note): string | null {
    return this.record("note", JSON.stringify(note));
  }

  command(command: Command): string | null {
    return this.note({ type: "command", command, rules: commandRules });
  }

  send(turn: string): string | null {
    return this.command({ type: "send", turn, text: turn });
  }

  limit(limits: SpendingLimits, mayRaise = true): string | null {
    return this.command({ type: "limit", limits, mayRaise });
  }

  lines(...lines: string[]): void {
    this.record("out", lines.map((line) => `${line}\n`).join(""));
  }

  exit(): void {
    this.record("exit", JSON.stringify({ code: 0, signal: null }));
  }

  /** Lets time pass, and the alarm ring if it is due. */
  wait(seconds: number): void {
    this.now += seconds * 1000;
    if (this.alarmAt === null || this.alarmAt > this.now) return;
    this.now = Math.max(this.alarmAt, this.now);
    this.alarmAt = null;
    this.note({ type: "alarm", name: limitAlarm });
  }

  /** The events as short texts. */
  get story(): string[] {
    return this.events.map(({ body }) => describeEvent(body)).filter((text) => text !== "");
  }

  get spent() {
    return spentOf(this.reducer.state.spending, this.now);
  }
}

function describeEvent(body: AgentEvent): string {
  switch (body.type) {
    case "turn.started":
      return `${body.turn} started`;
    case "turn.ended":
      return `${body.turn} ${body.outcome}`;
    case "session.paused":
      return `paused for ${body.reason}`;
    case "status.reported":
      return body.message.includes("near a limit")
        ? "warned"
        : body.message.includes("reached a limit")
          ? "stopped"
          : "";
    case "decision.resolved":
      return `decision ${body.outcome} by ${body.by.kind}`;
    case "message.queued":
      return `${body.turn} queued`;
    case "message.returned":
      return `${body.turn} returned`;
    case "session.unpaused":
      return "unpaused";
    case "lead.changed":
      return `${body.lead} leads`;
    default:
      return "";
  }
}

test("warns once at 80 %, interrupts the turn at the limit, and pauses", () => {
  const session = new SimulatedSession({ limits: { tokens: 100 } });
  session.send("a");
  session.lines("use 79", "use 1", "use 5");
  expect(session.story).toEqual(["a started", "warned"]);
  session.lines("use 15");
  expect(session.effects).toContain("signal");
  expect(session.effects.at(-2)).toBe("close-stdin");
  session.lines("use 3", "stopped");
  session.exit();
  expect(session.story).toEqual(["a started", "warned", "stopped", "a limited", "paused for budget"]);
  expect(session.spent.tokens).toBe(103);
  expect(findViolations(session.events.map((event, index) => ({ ...event, sequence: index + 1, epoch: 1 })))).toEqual(
    [],
  );
});

test("does not count input that was read from a cache", () => {
  const session = new SimulatedSession({ limits: { tokens: 100 } });
  session.send("a");
  session.lines("use 10");
  expect(session.spent.tokens).toBe(10);
});

test("keeps queued messages at the limit, and starts them after the limit was raised", () => {
  const session = new SimulatedSession({ limits: { usd: 1 } });
  session.send("a");
  session.send("b");
  session.lines("use 5 1.5", "done");
  expect(session.story).toEqual(["a started", "b queued", "stopped", "a completed"]);
  expect(session.send("c")).toBe("limit-reached");
  session.exit();
  expect(session.send("c")).toBe("limit-reached");
  expect(session.command({ type: "resume" })).toBe("limit-reached");
  expect(session.limit({ usd: 1.5 })).toBe("limit-reached");
  expect(session.limit({ usd: 3 }, false)).toBe("not-allowed");
  expect(session.reducer.state.spending.limits).toEqual({ usd: 1 });
  expect(session.limit({ usd: 3 })).toBeNull();
  expect(session.command({ type: "resume" })).toBeNull();
  session.record("launch", "{}");
  expect(session.story.slice(4)).toEqual(["paused for budget", "unpaused", "b started"]);
  session.lines("use 5 1", "use 1 0.6", "stopped");
  session.exit();
  expect(session.story.slice(7)).toEqual(["warned", "stopped", "b limited", "paused for budget"]);
});

test("a sender that may not raise a limit can set and tighten one", () => {
  const session = new SimulatedSession({ limits: { usd: 2 } });
  expect(session.limit({ usd: 1, tokens: 5 }, false)).toBeNull();
  expect(session.limit({ usd: 1.01 }, false)).toBe("not-allowed");
  expect(session.limit({ tokens: 6 }, false)).toBe("not-allowed");
  expect(session.reducer.state.spending.limits).toEqual({ usd: 1, tokens: 5 });
});

test("a decision that is open at the limit is canceled by the limit", () => {
  const session = new SimulatedSession({ limits: { tokens: 10 } });
  session.send("a");
  session.lines("ask", "use 10");
  session.exit();
  expect(session.story).toEqual([
    "a started",
    "stopped",
    "decision canceled by limit",
    "a limited",
    "paused for budget",
  ]);
});

test("names the person who interrupted the turn before the limit", () => {
  const session = new SimulatedSession({ limits: { tokens: 10 } });
  session.send("a");
  session.lines("ask");
  session.command({ type: "interrupt", by: { kind: "person" } });
  session.lines("use 10", "stopped");
  session.exit();
  expect(session.story.slice(1)).toEqual([
    "stopped",
    "decision canceled by person",
    "a interrupted",
    "paused for budget",
  ]);
});

test.each(["session", "turn"] as const)(
  "stops between turns if the end of a turn reports the usage (%s)",
  (lifetime) => {
    const session = new SimulatedSession({ limits: { tokens: 10 }, processLifetime: lifetime });
    session.send("a");
    session.send("b");
    if (lifetime === "turn") session.record("launch", "{}");
    session.lines("done", "use 12");
    if (lifetime === "session") session.lines("use 1");
    session.exit();
    const isStarted = lifetime === "session";
    // The process of a session starts the next turn at once, so that the late report interrupts it.
    expect(session.story).toEqual([
      "a started",
      "b queued",
      "a completed",
      ...(isStarted ? ["b started"] : []),
      "stopped",
      ...(isStarted ? ["b limited"] : []),
      "paused for budget",
    ]);
  },
);

test("kills an agent that does not exit", () => {
  const session = new SimulatedSession({ limits: { tokens: 10 } });
  session.send("a");
  session.lines("use 10");
  session.note({ type: "alarm", name: "fairlead.leave" });
  expect(session.effects.at(-1)).toBe("kill");
  session.record("exit", JSON.stringify({ code: null, signal: "SIGKILL" }));
  expect(session.story).toEqual(["a started", "stopped", "a limited", "paused for budget"]);
});

describe("the limit of time", () => {
  test("counts turns, and neither pauses between them nor waits for decisions", () => {
    const session = new SimulatedSession({ limits: { seconds: 100 } });
    session.wait(50);
    session.send("a");
    session.wait(30);
    session.lines("done");
    session.wait(50);
    session.send("b");
    session.wait(20);
    session.lines("ask");
    session.wait(500);
    expect(session.spent.seconds).toBe(50);
    session.command({ type: "answer", decision: "d", answer: { type: "allow" }, by: { kind: "person" } });
    session.wait(30);
    expect(session.story.at(-1)).toBe("warned");
    session.wait(19.9);
    expect(session.story.at(-1)).toBe("warned");
    session.wait(0.1);
    session.lines("stopped");
    session.exit();
    expect(session.story.slice(-3)).toEqual(["stopped", "b limited", "paused for budget"]);
    expect(session.spent.seconds).toBe(100);
  });

  test("counts while a sub-agent works beside an open decision, and not what waits for it", () => {
    const session = new SimulatedSession({ limits: { seconds: 100 } });
    session.send("a");
    // Two sub-agents. The call of one waits for a person.
    session.lines("call one", "begin one", "call two", "begin two", "call one-1 one", "ask one-1");
    session.wait(10);
    session.lines("call two-1 two", "begin two-1");
    session.wait(10);
    session.lines("end two-1", "end two");
    expect(session.spent.seconds).toBe(20);
    // The sub-agent that is left waits, too: its own call is what is asked about.
    session.wait(500);
    expect(session.spent.seconds).toBe(20);
    // A call that was requested and has not started does not run.
    session.lines("call three");
    session.wait(500);
    expect(session.spent.seconds).toBe(20);
    session.lines("begin three");
    session.wait(60);
    expect(session.story.at(-1)).toBe("warned");
    session.wait(20);
    expect(session.story).toContain("stopped");
  });

  test("does not count if it is not known which call waits", () => {
    const session = new SimulatedSession({ limits: { seconds: 100 } });
    session.send("a");
    session.lines("call one", "begin one", "ask");
    session.wait(500);
    expect(session.spent.seconds).toBe(0);
  });

  test("continues from a stored state, with the alarm that was set before", () => {
    const session = new SimulatedSession({ limits: { seconds: 10 } });
    session.send("a");
    session.wait(9);
    const stored = JSON.parse(JSON.stringify(session.reducer.state)) as typeof session.reducer.state;
    const reducer = new SessionReducer(createAdapter("session"), stored);
    const bytes = Buffer.from(JSON.stringify({ type: "alarm", name: limitAlarm } satisfies Note));
    const { pendingEffects } = reducer.reduce({ seq: 9, kind: "note", process: 1, at: 11_000, id: "x", bytes });
    expect(reducer.state.stoppedFor).toBe("budget");
    expect(pendingEffects.map(({ effect }) => effect.type)).toContain("close-stdin");
  });

  test("sets the alarm again if it rings too early, as after a change of the machine's clock", () => {
    const session = new SimulatedSession({ limits: { seconds: 10 } });
    session.send("a");
    session.now += 1;
    session.alarmAt = null;
    session.note({ type: "alarm", name: limitAlarm });
    expect(session.alarmAt).toBe(9000);
    expect(session.story).toEqual(["a started"]);
  });

  test("is kept for a limit that is set during a turn", () => {
    const session = new SimulatedSession({});
    session.send("a");
    session.now += 5000;
    expect(session.limit({ seconds: 3 })).toBeNull();
    session.lines("stopped");
    session.exit();
    expect(session.story).toEqual(["a started", "stopped", "a limited", "paused for budget"]);
  });
});

test("does not stop the terminal of a person, and pauses after it if a limit is reached", () => {
  const session = new SimulatedSession({ limits: { tokens: 10, seconds: 1 } });
  session.send("a");
  session.lines("id", "use 7", "done");
  session.command({ type: "take-over", size: { columns: 80, rows: 24 } });
  session.lines("use 4");
  session.exit();
  session.record("launch", "{}");
  session.wait(100);
  expect(session.spent.seconds).toBe(0);
  expect(session.story.at(-1)).toBe("human leads");
  session.command({ type: "hand-back" });
  session.exit();
  expect(session.story.slice(-3)).toEqual(["agent leads", "stopped", "paused for budget"]);
  expect(session.reducer.state.running).toBe(false);
  expect(session.effects.at(-1)).not.toBe("launch");
});

test("a continuation starts with what was used before", () => {
  const session = new SimulatedSession({ limits: { tokens: 100 }, spent: { usd: 1, tokens: 70, seconds: 5 } });
  session.send("a");
  session.lines("use 30", "stopped");
  session.exit();
  expect(session.story).toEqual(["a started", "stopped", "a limited", "paused for budget"]);
  expect(session.spent).toEqual({ usd: 1, tokens: 100, seconds: 5 });
});

test("the result does not depend on how the output is cut into records", () => {
  const lines = ["use 4", "ask", "use 5", "use 2", "stopped"];
  const together = new SimulatedSession({ limits: { tokens: 10 } });
  together.send("a");
  together.lines(...lines);
  const apart = new SimulatedSession({ limits: { tokens: 10 } });
  apart.send("a");
  for (const line of lines) apart.lines(line);
  expect(apart.story).toEqual(together.story);
});

describe("a cost that the agent does not report", () => {
  const price = { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 100_000 };
  const note = { type: "price", provider: "p", model: "m", price, asOf: "2026-09-23" } as const;

  test("is estimated once the price is known, also of what was used before", () => {
    const session = new SimulatedSession({ limits: { usd: 1 } });
    session.send("a");
    session.lines("use 7");
    expect(listUnpricedModels(session.reducer.state.spending)).toEqual([{ provider: "p", model: "m", index: 0 }]);
    expect(session.spent.usd).toBe(0);
    session.note(note);
    expect(session.spent.usd).toBeCloseTo(0.7);
    expect(listUnpricedModels(session.reducer.state.spending)).toEqual([]);
    session.lines("use 3", "stopped");
    session.exit();
    expect(session.story).toEqual(["a started", "stopped", "a limited", "paused for budget"]);
    const messages = session.events.flatMap(({ body }) => (body.type === "status.reported" ? [body.message] : []));
    expect(messages[0]).toContain("list prices of 2026-09-23");
    expect(messages.at(-1)).toContain("1 of them estimated");
  });

  test("is replaced by the reported one", () => {
    const session = new SimulatedSession({ limits: { usd: 1 } });
    session.send("a");
    session.lines("use 7");
    session.note(note);
    session.lines("use 0 0.2", "use 1 0.1", "done");
    expect(session.spent.usd).toBeCloseTo(0.3);
  });

  test("is not erased by a report of no cost, nor a reported one by a negative report", () => {
    const session = new SimulatedSession({ limits: { usd: 2 } });
    session.send("a");
    session.lines("use 7");
    session.note(note);
    session.lines("use 1 0");
    expect(session.spent.usd).toBeCloseTo(0.8);
    const { spending } = session.reducer.state;
    const tokens = { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
    const report = { type: "usage.reported", provider: "p", model: "m", tokens, provenance: "derived" } as const;
    const reported = addReportedUsage(spending, { ...report, cost: { amount: 1.5, currency: "USD" } });
    expect(spentOf(reported).usd).toBeCloseTo(1.5);
    const corrected = addReportedUsage(reported, { ...report, cost: { amount: -5, currency: "USD" } });
    expect(spentOf(corrected).usd).toBeCloseTo(1.5);
  });

  test("does not count if the price is not known, and a second price changes nothing", () => {
    const session = new SimulatedSession({ limits: { usd: 1 } });
    session.send("a");
    session.lines("use 100");
    session.note({ ...note, price: null });
    session.note(note);
    session.note({ ...note, model: "other" });
    expect(session.spent.usd).toBe(0);
    expect(session.events.at(-1)?.body).toMatchObject({
      level: "warning",
      message: expect.stringContaining("No price"),
    });
  });

  test("needs no price without a limit of money", () => {
    const session = new SimulatedSession({ limits: { tokens: 1_000_000 } });
    session.send("a");
    session.lines("use 7");
    expect(listUnpricedModels(session.reducer.state.spending)).toEqual([]);
  });

  test("is unknown for the models after the 32nd, which are counted together and warned about", () => {
    const session = new SimulatedSession({ limits: { usd: 1 } });
    const tokens = { uncached: 1, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
    const report = { type: "usage.reported", provider: "p", tokens, cost: null, provenance: "reported" } as const;
    let { spending } = session.reducer.state;
    for (let index = 0; index < 100; index += 1)
      spending = addReportedUsage(spending, { ...report, model: `${index}` });
    expect(spending.models).toHaveLength(33);
    expect(spending.models.at(-1)?.unpriced.uncached).toBe(68);
    const other = listUnpricedModels(spending).at(-1);
    expect(other).toMatchObject({ model: "models after the 32nd", index: 32 });
    const emitted: AgentEvent[] = [];
    const emitOwn = (body: AgentEvent): number => emitted.push(body);
    const emitter = { state: { ...session.reducer.state, spending }, emitOwn } as unknown as Emitter;
    spendingLimits.priced(emitter, {
      ...note,
      provider: other?.provider ?? "",
      model: other?.model ?? "",
      price: null,
    });
    expect(emitted).toMatchObject([
      { level: "warning", message: expect.stringContaining("No price of models after the 32nd is known.") },
    ]);
    // A reported cost of one of them is not that of the others.
    const cost = { amount: 0.5, currency: "USD" } as const;
    const paid = addReportedUsage(emitter.state.spending, { ...report, model: "40", cost });
    expect(paid.models.at(-1)?.unpriced.uncached).toBe(68);
    expect(spentOf(paid).usd).toBe(0.5);
  });
});

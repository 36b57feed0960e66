import type { Adapter, AgentEvent, Answer, Effect, Note, NetworkRecord, RecordKind, Sandbox } from "@fairlead/contract";
import { defineDialect, parseJsonLine } from "@fairlead/kit";
import { exampleOpening as opening } from "@fairlead/testing/reducer/example-opening.ts";
import { describe, expect, test } from "vitest";
import { SessionReducer } from "./session-reducer.ts";

const launchCommand = { program: "p", args: [], env: {}, cwd: "/w", stdin: "pipe" } as const;

/** An adapter whose agent writes events as JSON, and whose dialect fails at every answer. */
const adapter: Adapter = {
  manifest: { capabilities: ["interrupt"] } as unknown as Adapter["manifest"],
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
        if (command.type === "interrupt") writer.effect({ type: "signal", signal: "SIGINT" });
        if (command.type === "answer") throw new TypeError("A dialect knows nothing of hosts.");
      },
      observe(writer, observation) {
        if (observation.kind !== "line") return;
        const line = parseJsonLine(observation.text) as { events?: AgentEvent[]; effects?: Effect[] };
        writer.event(...(line.events ?? []));
        writer.effect(...(line.effects ?? []));
      },
    }),
  }),
};

const gate = { hosts: [], refusedHosts: [], backgroundHosts: ["background.org"], services: [], forwards: [] };
const paths = { writes: [], protects: [], hides: [], shows: [] };
const sandbox: Sandbox = { kind: "bwrap", workspace: "write", network: "gate", gate, ...paths };

class TestSession {
  readonly #reducer = new SessionReducer(adapter);
  events: AgentEvent[] = [];
  effects: Effect[] = [];
  rejections: (string | null)[] = [];
  #count = 0;

  constructor() {
    this.#note({ type: "opening", opening: { ...opening, sandbox } });
    this.command({ type: "open" });
    this.#reduce("launch", "{}");
    this.events = [];
    this.effects = [];
  }

  get state() {
    return this.#reducer.state;
  }

  turn(name: string): void {
    this.command({ type: "send", turn: name, text: "Go." });
  }

  endTurn(turn: string): void {
    this.observe({ events: [{ type: "turn.ended", turn, outcome: "completed" }] });
  }

  observe(line: { events?: AgentEvent[]; effects?: Effect[] }): void {
    this.#reduce("out", `${JSON.stringify(line)}\n`);
  }

  gate(host: string, verdict: NetworkRecord["verdict"], rule: NetworkRecord["rule"]): number {
    return this.#reduce("network", JSON.stringify({ host, port: 443, verdict, rule }));
  }

  hold(host: string): string {
    return `network-${this.gate(host, "held", "unlisted")}`;
  }

  answer(decision: string, answer: Answer): string | null {
    this.command({ type: "answer", decision, answer, by: { kind: "person" } });
    return this.rejections.at(-1) ?? null;
  }

  command(command: Extract<Note, { type: "command" }>["command"]): void {
    this.#note({ type: "command", command, rules: 5 });
  }

  record(text: string): void {
    this.#reduce("network", text);
  }

  take(type: AgentEvent["type"]): AgentEvent[] {
    const found = this.events.filter((event) => event.type === type);
    this.events = this.events.filter((event) => event.type !== type);
    return found;
  }

  /** Takes what the gate is told. */
  takeAnswers(): string[] {
    const answers = this.effects.flatMap((effect) =>
      effect.type === "network" ? [`${effect.host}:${effect.port} ${effect.allow}`] : [],
    );
    this.effects = this.effects.filter(({ type }) => type !== "network");
    return answers;
  }

  #note(note: Note): void {
    this.#reduce("note", JSON.stringify(note));
  }

  #reduce(kind: RecordKind, text: string): number {
    this.#count += 1;
    const record = { seq: this.#count, kind, process: 1, at: this.#count, id: "", bytes: Buffer.from(text) };
    const { outputs, pendingEffects, rejection } = this.#reducer.reduce(record);
    this.events.push(...outputs.flatMap((output) => ("body" in output ? [output.body] : [])));
    this.effects.push(...pendingEffects.map(({ effect }) => effect));
    this.rejections.push(rejection);
    return this.#count;
  }
}

const allow: Answer = { type: "allow" };
const deny: Answer = { type: "deny", message: "Not that one.", interrupt: false };

describe("a connection that the gate holds", () => {
  test("becomes a decision that names the host and the running calls, and its answer goes to the gate", () => {
    const session = new TestSession();
    session.turn("1");
    session.observe({ events: [{ type: "tool.requested", call: "c", name: "Bash", input: { command: "npm i" } }] });
    const decision = session.hold("new.org");
    expect(session.take("decision.requested")).toEqual([
      {
        type: "decision.requested",
        decision,
        kind: "network",
        title: "Connect to new.org:443",
        input: { host: "new.org", port: 443, calls: [{ call: "c", tool: "Bash" }] },
      },
    ]);
    expect(session.answer(decision, allow)).toBeNull();
    expect(session.take("decision.resolved")).toMatchObject([{ decision, outcome: "allowed", by: { kind: "person" } }]);
    expect(session.takeAnswers()).toEqual(["new.org:443 true"]);
    // A later process of the session has a gate that does not know the answer.
    session.hold("new.org");
    expect([session.take("decision.requested"), session.takeAnswers()]).toEqual([[], ["new.org:443 true"]]);
    expect(session.answer(decision, allow)).toBe("decision-not-open");
  });

  test("is refused outside a turn, without a question", () => {
    const session = new TestSession();
    session.hold("new.org");
    expect([session.takeAnswers(), session.take("decision.requested")]).toEqual([["new.org:443 false"], []]);
  });

  test("is refused while no call runs, if the agent's program contacts the host on its own", () => {
    const session = new TestSession();
    session.turn("1");
    session.hold("background.org");
    expect([session.takeAnswers(), session.take("decision.requested")]).toEqual([["background.org:443 false"], []]);
    session.observe({ events: [{ type: "tool.requested", call: "c", name: "Bash", input: {} }] });
    session.hold("background.org");
    expect([session.takeAnswers(), session.take("decision.requested").length]).toEqual([[], 1]);
  });

  test("is refused for the rest of the turn after a denial, and asked about in the next one", () => {
    const session = new TestSession();
    session.turn("1");
    session.answer(session.hold("new.org"), deny);
    expect(session.take("decision.resolved")).toMatchObject([{ outcome: "denied", message: "Not that one." }]);
    session.take("decision.requested");
    session.hold("new.org");
    expect(session.takeAnswers()).toEqual(["new.org:443 false", "new.org:443 false"]);
    expect(session.take("decision.requested")).toEqual([]);
    session.endTurn("1");
    session.turn("2");
    session.hold("new.org");
    expect([session.take("decision.requested").length, session.takeAnswers()]).toEqual([1, []]);
  });

  test("is asked about once, also if two processes hold it", () => {
    const session = new TestSession();
    session.turn("1");
    const decision = session.hold("new.org");
    session.hold("new.org");
    expect(session.take("decision.requested")).toHaveLength(1);
    session.answer(decision, allow);
    expect(session.takeAnswers()).toEqual(["new.org:443 true"]);
  });

  test("is refused when the turn ends, and when the keeper waited too long", () => {
    const session = new TestSession();
    session.turn("1");
    const decision = session.hold("new.org");
    session.endTurn("1");
    expect(session.take("decision.resolved")).toMatchObject([{ decision, outcome: "canceled" }]);
    expect([session.takeAnswers(), session.state.network.held]).toEqual([["new.org:443 false"], []]);
    session.turn("2");
    const late = session.hold("new.org");
    session.gate("new.org", "refused", "no-answer");
    expect(session.take("decision.resolved")).toMatchObject([{ decision: late, outcome: "timed-out" }]);
    expect([session.takeAnswers(), session.state.network.held]).toEqual([[], []]);
    expect(session.answer(late, allow)).toBe("decision-not-open");
    expect(session.takeAnswers()).toEqual([]);
  });

  test("takes no edited input and no choice, and a denial that ends the turn interrupts the agent", () => {
    const session = new TestSession();
    session.turn("1");
    const decision = session.hold("new.org");
    expect(session.answer(decision, { type: "allow", input: { host: "other.org" } })).toBe("not-supported");
    expect(session.answer(decision, { type: "choose", answers: {} })).toBe("not-supported");
    expect(session.answer(decision, { type: "allow", digest: "another" })).toBe("conflict");
    expect(session.takeAnswers()).toEqual([]);
    expect(session.answer(decision, { ...deny, interrupt: true })).toBeNull();
    expect(session.effects).toContainEqual({ type: "signal", signal: "SIGINT" });
    expect(session.takeAnswers()).toEqual(["new.org:443 false"]);
  });
});

test("an agent cannot answer: neither by an event of its own, nor by an effect, nor with a decision of the same name", () => {
  const session = new TestSession();
  session.turn("1");
  const decision = session.hold("new.org");
  session.observe({ effects: [{ type: "network", host: "new.org", port: 443, allow: true }] });
  expect(session.takeAnswers()).toEqual([]);
  const by = { kind: "person" } as const;
  session.observe({ events: [{ type: "decision.resolved", decision, outcome: "allowed", by }] });
  expect([session.takeAnswers(), session.state.network.allowed]).toEqual([["new.org:443 false"], []]);
  // The next held connection would have this name.
  const next = `network-${Number(decision.slice("network-".length)) + 4}`;
  session.observe({ events: [{ type: "decision.requested", decision: next, kind: "approval", title: "Run" }] });
  expect(session.hold("other.org")).toBe(next);
  expect(session.takeAnswers()).toEqual(["other.org:443 false"]);
});

test("verdicts are events that name what enforced them, each once in a turn", () => {
  const session = new TestSession();
  session.turn("1");
  for (const _ of [1, 2, 3]) session.gate("api.org", "allowed", "listed");
  session.gate("evil.org", "refused", "private");
  expect(session.take("network.judged")).toEqual([
    { type: "network.judged", host: "api.org", port: 443, verdict: "allowed", rule: "listed", enforcedBy: "gate" },
    { type: "network.judged", host: "evil.org", port: 443, verdict: "refused", rule: "private", enforcedBy: "gate" },
  ]);
  session.endTurn("1");
  session.turn("2");
  session.gate("api.org", "allowed", "listed");
  for (let index = 0; index < 1000; index += 1) session.gate(`h${index}.org`, "refused", "too-many");
  expect(session.take("network.judged")).toHaveLength(64);
  expect(JSON.stringify(session.state).length).toBeLessThan(20_000);
});

test("a record that cannot be read is reported", () => {
  const session = new TestSession();
  session.record('{"host":""}');
  expect(session.take("unrecognized")).toMatchObject([{ reason: "a network record is invalid" }]);
});

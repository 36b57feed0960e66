import {
  findViolations,
  openScopes,
  type Adapter,
  type AgentEvent,
  type Effect,
  type EventDraft,
  type Note,
  type RecordKind,
} from "@fairlead/contract";
import { defineDialect, parseJsonLine } from "@fairlead/kit";
import { exampleOpening as opening } from "@fairlead/testing/reducer/example-opening.ts";
import { describe, expect, test } from "vitest";
import { maxOpenDecisionBytes, maxOpenDecisions } from "./decision-limits.ts";
import { SessionReducer } from "./session-reducer.ts";

const launchCommand = { program: "p", args: [], env: {}, cwd: "/w", stdin: "pipe" } as const;

/** An adapter whose agent writes events as JSON. It answers with the decision, and throws for decisions named `broken`. */
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
        if (command.type !== "answer") return;
        if (command.decision.startsWith("broken")) throw new TypeError("no");
        writer.effect({ type: "write", text: `${command.decision} ${command.answer.type}` });
      },
      observe(writer, observation) {
        if (observation.kind !== "line") return;
        writer.event(...(parseJsonLine(observation.text) as AgentEvent[]));
      },
    }),
  }),
};

/** A session in which the first turn runs. */
class TestSession {
  readonly #reducer = new SessionReducer(adapter);
  readonly drafts: EventDraft[] = [];
  readonly effects: Effect[] = [];
  #count = 0;

  constructor() {
    this.#note({ type: "opening", opening });
    this.#note({ type: "command", command: { type: "open" } });
    this.#reduce("launch", "{}");
    this.#note({ type: "command", command: { type: "send", turn: "1", text: "Go." } });
  }

  get open(): string[] {
    return openScopes(this.#reducer.state.ledger, "decision").map(({ key }) => key);
  }

  get stateSize(): number {
    return JSON.stringify(this.#reducer.state).length;
  }

  /** The decisions that were denied in the agent's input. */
  get denied(): string[] {
    return this.effects.flatMap((effect) =>
      effect.type === "write" && effect.text.endsWith(" deny") ? [effect.text.slice(0, -" deny".length)] : [],
    );
  }

  get resolutions(): AgentEvent[] {
    return this.drafts.map(({ body }) => body).filter(({ type }) => type === "decision.resolved");
  }

  request(...decisions: readonly (readonly [decision: string, input?: unknown])[]): void {
    const events = decisions.map(([decision, input = {}]) => {
      return { type: "decision.requested", decision, kind: "approval", title: "Run", input } as const;
    });
    this.#reduce("out", `${JSON.stringify(events)}\n`);
  }

  allow(decision: string): void {
    const command = { type: "answer", decision, answer: { type: "allow" }, by: { kind: "person" } } as const;
    this.#note({ type: "command", command });
  }

  #note(note: Note): void {
    this.#reduce("note", JSON.stringify(note));
  }

  #reduce(kind: RecordKind, text: string): void {
    this.#count += 1;
    const record = { seq: this.#count, kind, process: 1, at: this.#count, id: "", bytes: Buffer.from(text) };
    const { outputs, pendingEffects } = this.#reducer.reduce(record);
    this.drafts.push(...outputs.filter((output) => "body" in output));
    this.effects.push(...pendingEffects.map(({ effect }) => effect));
  }
}

const names = (count: number, prefix = "d"): string[] => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

describe("open decisions above the limit", () => {
  test.each([
    ["one line each", 1],
    ["in one line", Infinity],
  ])("are denied by the runtime, and the agent gets the denials (%s)", (_, perLine) => {
    const session = new TestSession();
    const all = names(maxOpenDecisions + 3);
    const [kept, excess] = [all.slice(0, maxOpenDecisions), all.slice(maxOpenDecisions)];
    if (perLine === 1) for (const name of all) session.request([name]);
    else session.request(...all.map((name) => [name] as const));
    expect(session.open).toEqual(kept);
    expect(session.denied).toEqual(excess);
    expect(session.resolutions).toMatchObject(
      excess.map((decision) => ({ decision, outcome: "denied", by: { kind: "runtime" } })),
    );
  });

  test("leave space for another after an answer", () => {
    const session = new TestSession();
    session.request(...names(maxOpenDecisions).map((name) => [name] as const));
    session.allow("d7");
    session.request(["next"]);
    session.request(["too many"]);
    expect(session.denied).toEqual(["too many"]);
    expect(session.open).toEqual([...names(maxOpenDecisions).filter((name) => name !== "d7"), "next"]);
  });

  test("are canceled if the adapter cannot deny them", () => {
    const session = new TestSession();
    session.request(...names(maxOpenDecisions).map((name) => [name] as const));
    session.request(["broken"]);
    expect(session.resolutions).toMatchObject([{ decision: "broken", outcome: "canceled", by: { kind: "runtime" } }]);
    expect(session.open).toHaveLength(maxOpenDecisions);
  });
});

test("the sum of open requests is limited, and a smaller request is still accepted", () => {
  const session = new TestSession();
  const large = "x".repeat(3_000_000);
  for (const name of names(10)) session.request([name, large]);
  expect(session.open).toEqual(["d0", "d1"]);
  expect(session.denied).toEqual(names(10).slice(2));
  session.request(["small"]);
  expect(session.open).toEqual(["d0", "d1", "small"]);
  expect(session.stateSize).toBeLessThan(2 * maxOpenDecisionBytes);
});

test("the denials keep the law of event order", () => {
  const session = new TestSession();
  session.request(...names(maxOpenDecisions + 300).map((name) => [name] as const));
  const events = session.drafts.map((draft, at) => ({ ...draft, sequence: at + 1, epoch: 1 }));
  expect(session.resolutions).toHaveLength(300);
  expect(findViolations(events)).toEqual([]);
});

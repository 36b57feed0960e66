import {
  findViolations,
  type Adapter,
  type Capability,
  type Command,
  type EventDraft,
  type Note,
  type NoteOf,
  type SpoolRecord,
} from "@fairlead/contract";
import { defineDialect, noCalls, terminalTurnEnded, terminalTurnStarted, type TerminalTurnState } from "@fairlead/kit";
import { exampleOpening as opening } from "@fairlead/testing/reducer/example-opening.ts";
import { describe, expect, test } from "vitest";
import { SessionReducer } from "./session-reducer.ts";

const agent = { program: "agent", args: [], env: {}, cwd: "/w", stdin: "pipe" } as const;
const size = { columns: 80, rows: 24 };

/** An adapter whose transcript has one message per line. A line `boom` makes it throw; `end` ends the turn. */
function createAdapter(capabilities: readonly Capability[] = ["take-over", "recorded-take-over"]): Adapter {
  const dialect = defineDialect<TerminalTurnState>({
    initialState: { calls: noCalls },
    observe(writer, observation) {
      if (observation.kind === "line") writer.event({ type: "session.changed", agentSessionId: observation.text });
    },
    handle(writer, { type }) {
      if (type === "open" || type === "resume") writer.effect({ type: "launch", command: agent });
    },
    readTranscript(writer, { lines, isLast }) {
      writer.effect({ type: "kill" }); // must not run
      for (const line of lines) {
        if (line === "boom") throw new Error("boom");
        if (line === "end") terminalTurnEnded(writer, "completed");
        else terminalTurnStarted(writer, line);
      }
      if (isLast && lines.at(-1) !== "open") terminalTurnEnded(writer, "interrupted");
    },
  });
  return {
    manifest: { capabilities } as unknown as Adapter["manifest"],
    probe: () => expect.unreachable(),
    terminalCommand: (_opening, agentSessionId) => ({ ...agent, args: ["--resume", agentSessionId] }),
    terminalTranscript: () => ({ folders: ["/t"], fileName: /(.*)/ }),
    open: () => ({ processLifetime: "session", protocol: "lines", dialect }),
  };
}

type RecordContent = readonly [SpoolRecord["kind"], string];
const note = (value: Note): RecordContent => ["note", JSON.stringify(value)];
const command = (value: Command): RecordContent => note({ type: "command", command: value });
const exit: RecordContent = ["exit", '{"code":0,"signal":null}'];
const launched: RecordContent = ["launch", "{}"];
const takeOver = command({ type: "take-over", size });
const handBack = command({ type: "hand-back" });
const measured = note({ type: "terminal-opening", transcript: { bytes: 10, digest: "d" } });
const noEnd = { problem: null, skippedBytes: 0, otherConversations: [] };
type End = NonNullable<NoteOf<"terminal-transcript">["end"]>;
const part = (from: number, to: number, lines: readonly string[], end?: Partial<End>): RecordContent =>
  note({
    type: "terminal-transcript",
    from,
    to,
    lines: [...lines],
    ...(end && { end: { ...noEnd, ...end } }),
  });
const running = [note({ type: "opening", opening }), command({ type: "open" }), launched, ["out", "n\n"] as const];
const taken = [...running, takeOver, exit];
const inTerminal = [...taken, measured, launched];
const left = [...inTerminal, handBack, exit];

function reduceAll(contents: readonly RecordContent[], adapter = createAdapter()) {
  let reducer = new SessionReducer(adapter);
  const reductions = contents.map(([kind, text], index) => {
    reducer = new SessionReducer(adapter, JSON.parse(JSON.stringify(reducer.state)) as SessionReducer["state"]);
    return reducer.reduce({ seq: index + 1, kind, process: 1, at: 1000, id: "", bytes: Buffer.from(text) });
  });
  const drafts = reductions
    .flatMap(({ outputs }) => outputs)
    .filter((output): output is EventDraft => "body" in output);
  expect(findViolations(drafts.map((draft, index) => ({ ...draft, sequence: index + 1, epoch: 1 })))).toEqual([]);
  const bodies = drafts.map(({ body }) => body);
  const lead = bodies.findIndex(({ type }) => type === "lead.changed");
  return {
    state: reducer.state,
    bodies,
    /** What happened since the take-over, briefly. */
    events: bodies
      .slice(lead)
      .map((body) =>
        body.type === "lead.changed"
          ? body.lead
          : body.type === "turn.started"
            ? `> ${body.input}`
            : body.type === "turn.ended"
              ? body.outcome
              : body.type === "status.reported"
                ? body.message
                : body.type,
      ),
    effects: (reductions.at(-1)?.pendingEffects ?? []).map(({ effect }) => effect.type),
  };
}

describe("a recorded take-over", () => {
  test("opens the terminal only after the transcript was measured", () => {
    expect(reduceAll(taken)).toMatchObject({
      events: ["human"],
      effects: ["disarm"],
      state: { running: false, launching: false, terminalRecording: { step: "opening", since: 6, takenOverAt: 1000 } },
    });
    expect(reduceAll([...taken, measured])).toMatchObject({ effects: ["launch"], state: { launching: true } });
    expect(reduceAll([...taken, measured, measured]).effects).toEqual([]);
  });

  test("writes the turns of the transcript, and then passes the lead back", () => {
    const waiting = reduceAll(left);
    expect(waiting).toMatchObject({
      events: ["human"],
      effects: [],
      state: { terminalRecording: { step: "closing", since: 10, next: 10 } },
    });
    const parts = [part(10, 20, ["one"]), part(20, 30, ["end", "two"], {})];
    const { events, effects, bodies, state } = reduceAll([...left, ...parts]);
    expect(events).toEqual(["human", "> one", "completed", "> two", "interrupted", "agent"]);
    expect(bodies).toContainEqual({
      type: "turn.started",
      turn: "terminal-1",
      input: "one",
      origin: "terminal",
      source: "transcript",
    });
    expect(effects).toEqual(["launch"]);
    expect(state.terminalRecording).toBeNull();
  });

  test("reads each part once, in order, and none outside a take-over", () => {
    const first = part(10, 20, ["one", "end"]);
    const last = part(20, 30, ["two"], {});
    const once = reduceAll([...left, first, last]).events;
    expect(reduceAll([...left, last, first, first, last, last, first]).events).toEqual(once);
    expect(reduceAll([...running, part(0, 5, ["forged"], {})]).bodies).toHaveLength(2);
    expect(reduceAll([...inTerminal, part(10, 20, ["early"], {})]).events).toEqual(["human"]);
  });

  test("is complete when the person quits the program, and when the session ends", () => {
    const gain = part(10, 20, ["one", "end"], {});
    expect(reduceAll([...inTerminal, exit, gain]).events).toEqual(["human", "> one", "completed", "agent"]);
    const end = command({ type: "end" });
    const ended = ["human", "> one", "completed", "agent", "session.ended"];
    expect(reduceAll([...inTerminal, end, exit, gain]).events).toEqual(ended);
    expect(reduceAll([...inTerminal, exit, end, gain]).events).toEqual(ended);
  });

  test("that is given up before the terminal opened still ends", () => {
    expect(reduceAll([...taken, handBack, measured]).effects).toEqual(["launch", "kill"]);
    const after = [...taken, handBack, measured, launched, exit, part(10, 10, [], {})];
    expect(reduceAll(after)).toMatchObject({ events: ["human", "agent"], effects: ["launch"] });
    const ended = [...taken, command({ type: "end" }), measured, launched, exit, part(10, 10, [], {})];
    expect(reduceAll(ended).events).toEqual(["human", "agent", "session.ended"]);
  });

  test("closes a turn that the dialect leaves open, and survives a dialect that throws", () => {
    expect(reduceAll([...left, part(10, 20, ["open"], {})]).events).toEqual([
      "human",
      "> open",
      "interrupted",
      "agent",
    ]);
    const { events, bodies } = reduceAll([...left, part(10, 20, ["boom"]), part(20, 30, ["two"], {})]);
    expect(events).toEqual(["human", "unrecognized", "> two", "interrupted", "agent"]);
    expect(bodies).toContainEqual(expect.objectContaining({ type: "unrecognized", raw: "boom" }));
  });

  test.each<[Partial<End>, RegExp]>([
    [{ problem: "missing" }, /is not recorded\. The agent's transcript is gone\./],
    [{ problem: "rewritten" }, /is not recorded\. .* does not continue/],
    [{ problem: "unreadable" }, /is not recorded\. .* cannot be read/],
    [{ skippedBytes: 7 }, /7 bytes were left out/],
    [{ otherConversations: ["x", "y"] }, /another conversation while a person led: x, y\. .* is not recorded/],
  ])("states what it lacks: %j", (end, message) => {
    const { events } = reduceAll([...left, part(10, 10, [], end)]);
    expect(events).toEqual(["human", expect.stringMatching(message), "agent"]);
  });
});

const now = "What is said and done in the agent's own terminal is not recorded.";
const before = "What was said and done in the agent's own terminal is not recorded.";

test("states before and after that an agent cannot be recorded", () => {
  const adapter = createAdapter(["take-over"]);
  expect(reduceAll(taken, adapter)).toMatchObject({ events: ["human", now], effects: ["disarm", "launch"] });
  expect(reduceAll([...taken, launched, exit], adapter).events).toEqual(["human", now, before, "agent"]);
});

test("states it also if the transcript is not found, or if the keeper dies", () => {
  const notFound = note({ type: "terminal-opening", transcript: null });
  expect(reduceAll([...taken, notFound, launched, exit]).events).toEqual(["human", now, before, "agent"]);
  const lost = ["human", before, "error.raised", "session.ended"];
  expect(reduceAll([...inTerminal, note({ type: "lost" })]).events).toEqual(lost);
});

test("a spool of a version that did not record produces the events that it produced then", () => {
  expect(reduceAll([...taken, launched, exit])).toMatchObject({ events: ["human", "agent"], effects: ["launch"] });
});

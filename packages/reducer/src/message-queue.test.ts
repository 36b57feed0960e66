import fc from "fast-check";
import {
  commandRules,
  findViolations,
  type Adapter,
  type AgentEvent,
  type Command,
  type Conversation,
  type EventDraft,
  type Exit,
  type Note,
  type RecordKind,
  type SpoolRecord,
} from "@fairlead/contract";
import { defineDialect, finishTurn, initialConversation, sessionIdentified, submit } from "@fairlead/kit";
import { exampleOpening as opening } from "@fairlead/testing/reducer/example-opening.ts";
import { describe, expect, test } from "vitest";
import { SessionReducer } from "./session-reducer.ts";
import { initialSessionState, type SessionState } from "./session-state.ts";

type ProcessLifetime = Conversation["processLifetime"];
const launchCommand = { program: "p", args: [], env: {}, cwd: "/w", stdin: "pipe" } as const;
const launch = { type: "launch", command: launchCommand } as const;

/** An adapter on the kit. Lines of its agent: `done`, `id NAME`, `fail`; a message `refused` ends its turn at once. */
function createAdapter(processLifetime: ProcessLifetime): Adapter {
  const dialect = defineDialect({
    initialState: initialConversation,
    handle(writer, command) {
      const send = () => (processLifetime === "turn" ? launch : ({ type: "write", text: "" } as const));
      if (command.type === "resume") writer.set({ expectedSessionId: writer.state.agentSessionId });
      if (command.type === "resume" && writer.state.agentSessionId === null)
        writer.event({ type: "session.resumed", outcome: "fresh", agentSessionId: null });
      if ((command.type === "open" || command.type === "resume") && processLifetime === "session")
        writer.effect(launch);
      if (command.type === "send" && command.text === "refused") {
        const { turn, text: input } = command;
        writer.event({ type: "turn.started", turn, input, origin: "user" });
        writer.event({ type: "turn.ended", turn, outcome: "failed" });
      } else if (command.type === "send" && command.text.endsWith("throw")) throw new TypeError("no");
      else if (command.type === "send") submit(writer, command, send);
      const isStop = command.type === "interrupt" || command.type === "pause" || command.type === "end";
      if (isStop && writer.state.current !== null) writer.effect({ type: "signal", signal: "SIGINT" });
    },
    observe(writer, observation) {
      const send = () => (processLifetime === "turn" ? launch : ({ type: "write", text: "" } as const));
      const text = observation.kind === "line" ? observation.text : "";
      if (text === "done") finishTurn(writer, "completed", send);
      if (text.startsWith("id ")) sessionIdentified(writer, text.slice(3), null);
      if (text === "fail") {
        writer.effect({ type: "close-stdin" });
        finishTurn(writer.raise({ category: "unknown", message: "no" }), "failed", send);
      }
      if (observation.kind !== "exited") return;
      if (processLifetime === "turn" && writer.state.current !== null) finishTurn(writer, "completed", send);
      // As dialects do: what the process had is gone.
      writer.set({ current: null, queue: [] });
    },
  });
  const manifest = { capabilities: ["take-over"] } as unknown as Adapter["manifest"];
  const terminalCommand: Adapter["terminalCommand"] = () => ({ ...launchCommand, program: "terminal" });
  return {
    manifest,
    probe: () => expect.unreachable(),
    terminalCommand,
    open: () => ({ processLifetime, protocol: "lines", dialect }),
  };
}

type RecordContent = readonly [RecordKind, string];
const note = (value: Note): RecordContent => ["note", JSON.stringify(value)];
const command = (value: Command): RecordContent => note({ type: "command", command: value });
const send = (turn: string, text = `do ${turn}`): RecordContent => command({ type: "send", turn, text });
const line = (...texts: string[]): RecordContent => ["out", texts.map((text) => `${text}\n`).join("")];
const exit = (code: number | null = 0, signal: string | null = null): RecordContent => [
  "exit",
  JSON.stringify({ code, signal } satisfies Exit),
];
const launched: RecordContent = ["launch", "{}"];
const [interrupt, pause, resume, end] = (["interrupt", "pause", "resume", "end"] as const).map((type) =>
  command({ type }),
) as [RecordContent, RecordContent, RecordContent, RecordContent];
const lost = note({ type: "lost" });
const opened = [note({ type: "opening", opening }), command({ type: "open" })];

interface Journal {
  readonly bodies: readonly AgentEvent[];
  readonly drafts: readonly EventDraft[];
  readonly state: SessionState;
  readonly accepted: readonly string[];
}

function reduceAll(processLifetime: ProcessLifetime, contents: readonly RecordContent[]): Journal {
  const reducer = new SessionReducer(createAdapter(processLifetime));
  const accepted: string[] = [];
  const drafts = [...opened, ...contents].flatMap(([kind, text], index) => {
    const record: SpoolRecord = {
      seq: index + 1,
      kind,
      process: 1,
      at: index,
      id: "x",
      bytes: Buffer.from(text),
    };
    const { outputs, rejection } = reducer.reduce(record);
    const sent = kind === "note" ? (JSON.parse(text) as Note) : null;
    if (sent?.type === "command" && sent.command.type === "send" && rejection === null)
      accepted.push(sent.command.turn);
    return outputs.filter((output) => "body" in output);
  });
  const events = drafts.map((draft, index) => ({ ...draft, sequence: index + 1, epoch: 1 }));
  expect(findViolations(events)).toEqual([]);
  return { drafts, bodies: drafts.map(({ body }) => body), state: reducer.state, accepted };
}

/** The facts about messages and turns, one word each. */
function story(bodies: readonly AgentEvent[]): string[] {
  return bodies.flatMap((body) => {
    if (body.type === "message.queued") return [`queued ${body.turn}`];
    if (body.type === "message.returned") return [`returned ${body.turn} ${body.reason}`];
    if (body.type === "turn.started") return [`started ${body.turn}`];
    if (body.type === "turn.ended") return [`ended ${body.turn} ${body.outcome}`];
    return body.type.startsWith("session.") && body.type !== "session.started" && body.type !== "session.changed"
      ? [body.type.slice("session.".length)]
      : [];
  });
}
const tell = (processLifetime: ProcessLifetime, ...contents: RecordContent[]): string[] =>
  story(reduceAll(processLifetime, contents).bodies);

describe("one process for many turns", () => {
  const busy = [launched, send("1"), send("2"), send("3")];
  const before = ["started 1", "queued 2", "queued 3"];

  test("messages sent during a turn become the next turns, in order", () => {
    expect(tell("session", ...busy, line("done"), line("done"))).toEqual([
      ...before,
      "ended 1 completed",
      "started 2",
      "ended 2 completed",
      "started 3",
    ]);
  });

  test("how the output is cut into records does not matter", () => {
    expect(tell("session", ...busy, line("done", "done"))).toEqual(
      tell("session", ...busy, line("done"), line("done")),
    );
  });

  test("an interrupt keeps the queue", () => {
    expect(tell("session", ...busy, interrupt, line("done"))).toEqual([...before, "ended 1 completed", "started 2"]);
  });

  test("a pause starts no queued message, and a resume starts the next one", () => {
    const pausing = [...busy, pause, line("done"), exit()];
    expect(tell("session", ...pausing)).toEqual([...before, "ended 1 completed", "paused"]);
    expect(tell("session", ...pausing, resume).slice(before.length + 2)).toEqual(["unpaused", "resumed", "started 2"]);
  });

  test("a stop returns the queue before the end", () => {
    const returned = ["returned 2 stopped", "returned 3 stopped", "ended"];
    expect(tell("session", ...busy, end, exit())).toEqual([...before, "ended 1 interrupted", ...returned]);
    // A paused session ends without a process.
    expect(tell("session", ...busy, pause, exit(), end).slice(-3)).toEqual(returned);
  });

  test("the death of the agent or of the keeper returns the queue", () => {
    const returned = ["ended 1 failed", "returned 2 ended", "returned 3 ended", "ended"];
    expect(tell("session", ...busy, exit(null, "SIGKILL"))).toEqual([...before, ...returned]);
    expect(tell("session", ...busy, lost)).toEqual([...before, ...returned]);
  });

  test("an agent that is about to exit gets no further message", () => {
    expect(tell("session", ...busy, line("fail"), exit(1))).toEqual([
      ...before,
      "ended 1 failed",
      "returned 2 ended",
      "returned 3 ended",
      "ended",
    ]);
    // The end of the turn may be in the agent's last, unfinished line.
    expect(tell("session", ...busy, ["out", "done"], exit(1))).not.toContain("started 2");
  });

  test("a message that the agent got and did not confirm is returned, and the others are kept", () => {
    const known = [launched, line("id n"), pause, exit(), resume, launched, send("1"), send("2")];
    expect(tell("session", ...known)).toEqual(["paused", "unpaused", "queued 1", "queued 2"]);
    expect(tell("session", ...known, line("id n")).slice(4)).toEqual(["resumed", "started 1"]);
    expect(tell("session", ...known, pause, exit(), resume).slice(4)).toEqual([
      "returned 1 unconfirmed",
      "paused",
      "unpaused",
    ]);
    // The agent resumed another conversation.
    expect(tell("session", ...known, line("id other"), exit(1)).slice(4)).toEqual([
      "returned 1 unconfirmed",
      "returned 2 ended",
      "ended",
    ]);
  });

  test("a person's lead keeps the queue, and the hand-back starts its next message", () => {
    const takeOver = command({ type: "take-over", size: { columns: 80, rows: 24 } });
    const taken = [launched, line("id n"), ...busy.slice(1), takeOver, line("done"), exit(), launched];
    expect(tell("session", ...taken)).toEqual([...before, "ended 1 completed"]);
    const handedBack = tell("session", ...taken, command({ type: "hand-back" }), exit(), launched, line("id n"));
    expect(handedBack.slice(4)).toEqual(["resumed", "started 2"]);
  });

  test("a closed standard input keeps the queue until the next process", () => {
    const reducer = (...more: RecordContent[]): string[] => tell("session", launched, ...more);
    const closed: RecordContent = ["stdin-closed", ""];
    expect(reducer(closed, send("1"), pause, exit(), resume).at(-1)).toBe("resumed");
  });
});

describe("one process per turn", () => {
  const busy = [send("1"), launched, send("2"), send("3")];

  test("the next message is launched after the exit, also after an interrupt", () => {
    expect(tell("turn", ...busy, interrupt, exit())).toEqual([
      "started 1",
      "queued 2",
      "queued 3",
      "ended 1 completed",
      "started 2",
    ]);
  });

  test("a message that the dialect refuses at once does not stop the queue", () => {
    const refused = send("2", "refused");
    expect(tell("turn", send("1"), launched, refused, send("3"), exit()).slice(3)).toEqual([
      "ended 1 completed",
      "started 2",
      "ended 2 failed",
      "started 3",
    ]);
  });

  test("a resume that fails returns only its message", () => {
    const known = [send("0"), launched, line("id n"), exit(), pause, resume, send("1"), launched, send("2")];
    // The process failed to resume the conversation. The next message tries it again.
    expect(tell("turn", ...known, exit(1), launched, line("id n")).slice(-5)).toEqual([
      "queued 1",
      "queued 2",
      "returned 1 unconfirmed",
      "resumed",
      "started 2",
    ]);
  });
});

test("a queued message that the dialect cannot handle is returned, and the next one starts", () => {
  const contents = [launched, send("1"), send("2", "throw"), send("3"), line("done")];
  expect(tell("session", ...contents).slice(3)).toEqual(["ended 1 completed", "returned 2 failed", "started 3"]);
  const rejected = reduceAll("session", [
    launched,
    command({ type: "inject", text: "by the way" }),
    send("1", "throw"),
  ]);
  expect(rejected).toMatchObject({ accepted: [], state: { waitingMessages: [], pendingContext: ["by the way"] } });
});

test("the context of a returned message waits for the next message", () => {
  const inject = command({ type: "inject", text: "by the way" });
  const known = [launched, line("id n"), pause, exit(), resume, launched, inject, send("1")];
  const { state } = reduceAll("session", [...known, pause, exit()]);
  expect(state.pendingContext).toEqual(["by the way"]);
  const returned = reduceAll("session", [...known, pause, exit()]).bodies.find(
    ({ type }) => type === "message.returned",
  );
  expect(returned).toMatchObject({ text: "do 1" });
});

test("messages that an older version left in the dialect's state become turns", () => {
  const dialectState = {
    ...initialConversation,
    current: { turn: "1", text: "do 1" },
    queue: [{ turn: "2", text: "do 2" }],
  };
  const { bodies, state } = reduceAll("session", [launched, send("1")]);
  expect(bodies.at(-1)?.type).toBe("turn.started");
  const { waitingMessages: _, exiting: __, ...stored } = { ...initialSessionState, ...state, dialectState };
  const reducer = new SessionReducer(createAdapter("session"), stored as SessionState);
  const outputs = [line("other"), line("done")].flatMap(
    ([kind, text], index) =>
      reducer.reduce({ seq: 9 + index, kind, process: 1, at: 1, id: "", bytes: Buffer.from(text) }).outputs,
  );
  const told = story(outputs.flatMap((output) => ("body" in output ? [output.body] : [])));
  expect(told).toEqual(["queued 2", "ended 1 completed", "started 2"]);
});

describe("the limits of the queue", () => {
  const today = (value: Command): RecordContent => note({ type: "command", command: value, rules: commandRules });

  test("the queue refuses what it cannot keep, and takes more after a turn", () => {
    const text = "x".repeat(15_000_000);
    const [first, second, third, fourth, fifth] = ["1", "2", "3", "4", "5"].map((turn) =>
      today({ type: "send", turn, text }),
    ) as [RecordContent, RecordContent, RecordContent, RecordContent, RecordContent];
    const { accepted, state } = reduceAll("session", [launched, first, second, third, fourth, line("done"), fifth]);
    expect(accepted).toEqual(["1", "2", "3", "5"]);
    expect(state.waitingMessages.map(({ turn }) => turn)).toEqual(["3", "5"]);
  });

  test("context never grows past what can be sent, also if messages with context are returned", () => {
    const inject = today({ type: "inject", text: "x".repeat(5 * 1024 * 1024) });
    const large = "y".repeat(5 * 1024 * 1024);
    const known = [launched, line("id n"), pause, exit(), resume, launched];
    const returned = [
      inject,
      today({ type: "send", turn: "1", text: "do 1" }),
      inject,
      pause,
      exit(),
      resume,
      launched,
    ];
    const next = today({ type: "send", turn: "2", text: large });
    const { accepted, bodies } = reduceAll("session", [...known, ...returned, next]);
    expect(bodies.filter(({ type }) => type === "message.returned")).toHaveLength(1);
    expect(accepted).toEqual(["1", "2"]);
  });
});

const anyMove = fc.oneof(
  { weight: 6, arbitrary: fc.constant("send") },
  {
    weight: 4,
    arbitrary: fc.constantFrom(line("done"), line("id n"), line("id m"), line("fail"), line("done", "done")),
  },
  { weight: 3, arbitrary: fc.constantFrom(interrupt, pause, resume) },
  { weight: 3, arbitrary: fc.constantFrom(launched, exit(), exit(null, "SIGKILL")) },
  { weight: 1, arbitrary: fc.constantFrom<RecordContent>(["stdin-closed", ""], ["out", "done"], end) },
);

test("for any spool, each accepted message waits, became one turn, or was returned once", () => {
  fc.assert(
    fc.property(
      fc.constantFrom<ProcessLifetime>("session", "turn"),
      fc.array(anyMove, { maxLength: 40, size: "max" }),
      fc.boolean(),
      (processLifetime, moves, isLost) => {
        let turns = 0;
        const contents = moves.map((move) => (typeof move === "string" ? send(`m${(turns += 1)}`) : move));
        const { bodies, state, accepted } = reduceAll(processLifetime, [...contents, ...(isLost ? [lost] : [])]);
        const settled = bodies.flatMap((body) =>
          body.type === "turn.started" || body.type === "message.returned" ? [body.turn] : [],
        );
        const waiting = state.waitingMessages.map(({ turn }) => turn);
        expect([...settled, ...waiting].toSorted()).toEqual(accepted.toSorted());
        if (state.ledger.over) expect(waiting).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});

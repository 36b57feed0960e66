import type { Adapter, AgentEvent, Note, NoteOf } from "@fairlead/contract";
import { defineDialect, parseJsonLine } from "@fairlead/kit";
import { exampleOpening as opening } from "@fairlead/testing/reducer/example-opening.ts";
import { describe, expect, test } from "vitest";
import { SessionReducer } from "./session-reducer.ts";

/** An adapter whose agent writes events as JSON. */
const adapter: Adapter = {
  manifest: { capabilities: [] } as unknown as Adapter["manifest"],
  probe: () => expect.unreachable(),
  open: () => ({
    processLifetime: "session",
    protocol: "lines",
    dialect: defineDialect<object>({
      initialState: {},
      handle: () => {},
      observe(writer, observation) {
        if (observation.kind === "line") writer.event(parseJsonLine(observation.text) as AgentEvent);
      },
    }),
  }),
};

class TestSession {
  readonly #reducer = new SessionReducer(adapter);
  seq = 0;

  constructor() {
    this.note({ type: "opening", opening: { ...opening, workspace: "/w" } });
    this.report({ type: "turn.started", turn: "t", input: "do", origin: "user" });
  }

  note(note: Note): AgentEvent[] {
    return this.#reduce("note", JSON.stringify(note));
  }

  report(event: AgentEvent): AgentEvent[] {
    return this.#reduce("out", `${JSON.stringify(event)}\n`);
  }

  compared(note: Partial<NoteOf<"files">>): AgentEvent[] {
    const defaults = { from: null, root: "/real", tree: "a", upTo: this.seq, files: [], more: 0 };
    return this.note({ type: "files", ...defaults, ...note });
  }

  #reduce(kind: "note" | "out", text: string): AgentEvent[] {
    this.seq += 1;
    const record = { seq: this.seq, kind, process: 1, at: 0, id: "", bytes: Buffer.from(text) };
    return this.#reducer.reduce(record).outputs.flatMap((output) => ("body" in output ? [output.body] : []));
  }
}

const created = (path: string): AgentEvent => ({ type: "file.changed", path, change: "created", call: "c" });
const seen = (path: string): NoteOf<"files">["files"] => [{ path, change: "created", attribution: "unknown" }];

describe("a comparison", () => {
  test("becomes events, with a count of the files that are not listed and the problem", () => {
    const session = new TestSession();
    const events = session.compared({ files: seen("a.txt"), more: 3, problem: "It is too large." });
    expect(events).toEqual([
      { type: "file.changed", source: "observed", path: "a.txt", change: "created", attribution: "unknown" },
      { type: "status.reported", level: "info", message: expect.stringContaining("3 more files") },
      { type: "status.reported", level: "warning", message: "It is too large." },
    ]);
  });

  test("that does not continue from the last one has no effect", () => {
    const session = new TestSession();
    session.compared({ tree: "a" });
    expect(session.compared({ from: null, tree: "b", files: seen("a.txt") })).toEqual([]);
    expect(session.compared({ from: "a", tree: "b", files: seen("a.txt") })).toHaveLength(1);
  });

  test.each(["/w/a.txt", "a.txt", "./a.txt", "x/../a.txt", "/real/a.txt"])("omits a report of %s", (path) => {
    const session = new TestSession();
    session.compared({ tree: "a" });
    session.report(created(path));
    expect(session.compared({ from: "a", tree: "b", files: seen("a.txt") })).toEqual([]);
    // The next change of the same file is a new one.
    expect(session.compared({ from: "b", tree: "c", files: seen("a.txt") })).toHaveLength(1);
  });

  test("keeps the reports that came after it began", () => {
    const session = new TestSession();
    session.compared({ tree: "a" });
    const upTo = session.seq;
    session.report(created("a.txt"));
    session.compared({ from: "a", tree: "b", upTo });
    expect(session.compared({ from: "b", tree: "c", files: seen("a.txt") })).toEqual([]);
  });

  test("is possible after the turn, and not after the session", () => {
    const session = new TestSession();
    session.report({ type: "turn.ended", turn: "t", outcome: "completed" });
    expect(session.compared({ files: seen("a.txt") })).toHaveLength(1);
    session.note({ type: "lost" });
    expect(session.compared({ from: "a", tree: "b", files: seen("b.txt") })).toEqual([]);
  });
});

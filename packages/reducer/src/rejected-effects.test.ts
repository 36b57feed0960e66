import type { Adapter, EventDraft, Note, RecordKind } from "@fairlead/contract";
import { defineDialect } from "@fairlead/kit";
import { exampleOpening as opening } from "@fairlead/testing/reducer/example-opening.ts";
import { describe, expect, test } from "vitest";
import { SessionReducer } from "./session-reducer.ts";

/** An adapter whose agent runs during a turn, or during the session. */
function plainAdapter(processLifetime: "session" | "turn"): Adapter {
  const launch = { type: "launch", command: { program: "p", args: [], env: {}, cwd: "/w", stdin: "pipe" } } as const;
  const dialect = defineDialect<object>({
    initialState: {},
    observe() {},
    handle(writer, command) {
      if (command.type === (processLifetime === "turn" ? "send" : "open")) writer.effect(launch);
      if (command.type !== "send") return;
      writer.event({ type: "turn.started", turn: command.turn, input: command.text, origin: "user" });
      writer.effect({ type: "write", text: command.text });
    },
  });
  return {
    manifest: { capabilities: [] } as unknown as Adapter["manifest"],
    probe: () => expect.unreachable(),
    open: () => ({ processLifetime, protocol: "lines", dialect }),
  };
}

const note = (value: Note) => ["note", JSON.stringify(value)] as const;
const open = [note({ type: "opening", opening }), note({ type: "command", command: { type: "open" } })];
const send = (turn: string) => note({ type: "command", command: { type: "send", turn, text: "do" } });
const rejected = (effect: "launch" | "write") => note({ type: "rejected", effect, message: "The limit." });

function reduceAll(adapter: Adapter, contents: readonly (readonly [RecordKind, string])[]) {
  const reducer = new SessionReducer(adapter);
  const reductions = contents.map(([kind, text], index) =>
    reducer.reduce({ seq: index + 1, kind, process: 1, at: 1000, id: "", bytes: Buffer.from(text) }),
  );
  const last = reductions.at(-1);
  const lastBodies = last?.outputs.filter((output): output is EventDraft => "body" in output).map(({ body }) => body);
  return { state: reducer.state, lastBodies, effects: last?.pendingEffects.map(({ effect }) => effect.type) };
}

describe("an effect that the keeper rejects", () => {
  test("for a launch of one turn fails the turn with the reason, and the next message can start another", () => {
    const failed = reduceAll(plainAdapter("turn"), [...open, send("1"), rejected("launch")]);
    expect(failed.lastBodies).toMatchObject([
      { type: "error.raised", category: "not-started", message: expect.stringContaining("The limit.") },
      { type: "turn.ended", turn: "1", outcome: "failed" },
    ]);
    expect(failed.state).toMatchObject({ running: false, launching: false });
    const next = reduceAll(plainAdapter("turn"), [...open, send("1"), rejected("launch"), send("2")]);
    expect(next.lastBodies).toMatchObject([{ type: "turn.started", turn: "2" }]);
    expect(next.effects).toEqual(["launch", "write"]);
  });

  test("for the launch of a session ends the session", () => {
    const { lastBodies } = reduceAll(plainAdapter("session"), [...open, rejected("launch")]);
    expect(lastBodies).toMatchObject([{ type: "error.raised" }, { type: "session.ended", reason: "failed" }]);
  });

  test("for a message reports it and kills the agent, which would wait for it", () => {
    const { lastBodies, effects } = reduceAll(plainAdapter("session"), [
      ...open,
      ["launch", "{}"],
      send("1"),
      rejected("write"),
    ]);
    expect(lastBodies).toMatchObject([{ type: "error.raised", message: expect.stringContaining("The limit.") }]);
    expect(effects).toEqual(["kill"]);
  });
});

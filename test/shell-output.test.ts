import { adapters } from "@fairlead/adapters";
import type { Adapter, Delta, EventOf, Note, Opening, RecordKind } from "@fairlead/contract";
import { SessionReducer } from "@fairlead/reducer";
import { expect, test } from "vitest";

const shell = adapters.find(({ manifest }) => manifest.id === "shell") as Adapter;

interface CommandOutput {
  readonly texts: readonly EventOf<"text.ended">[];
  readonly deltas: readonly string[];
  readonly output: string;
}

/** Runs one command whose process writes these chunks, and returns what the session reports of them. */
function runCommand(...chunks: readonly string[]): CommandOutput {
  const reducer = new SessionReducer(shell);
  let seq = 0;
  const reduce = (kind: RecordKind, text: string): ReturnType<SessionReducer["reduce"]>["outputs"] => {
    seq += 1;
    return reducer.reduce({ seq, kind, process: 1, at: seq, id: `${seq}`, bytes: Buffer.from(text) }).outputs;
  };
  const note = (body: Note): string => JSON.stringify(body);
  const opening: Opening = {
    session: "s",
    name: null,
    agent: "shell",
    adapterVersion: shell.manifest.version,
    workspace: "/w",
    mode: "default",
    settings: shell.manifest.settings.parse({}),
    probeResult: { installed: true, program: "/bin/sh", version: null, flags: [], auth: "none", problems: [] },
    continues: null,
  };
  const outputs = [
    ...reduce("note", note({ type: "opening", opening })),
    ...reduce("note", note({ type: "command", command: { type: "open" } })),
    ...reduce("note", note({ type: "command", command: { type: "send", turn: "t", text: "run" } })),
    ...reduce("launch", JSON.stringify({ pid: 1 })),
    ...chunks.flatMap((chunk) => reduce("out", chunk)),
    ...reduce("exit", JSON.stringify({ code: 0, signal: null })),
  ];
  const bodies = outputs.flatMap((output) => ("body" in output ? [output.body] : []));
  const ended = bodies.find((body) => body.type === "tool.ended");
  return {
    texts: bodies.filter((body) => body.type === "text.ended"),
    deltas: outputs.filter((output): output is Delta => !("body" in output)).map(({ text }) => text),
    output: ended?.output ?? "",
  };
}

test.each([
  ["empty lines", ["a\n\n\nb\n"]],
  ["only empty lines", ["\n\n"]],
  ["empty lines in separate chunks", ["a\n", "\n", "\nb", "\n\n"]],
  ["a last line without an end", ["a\n\nb"]],
])("the text and the output of a command have %s", (_, chunks) => {
  const { texts, deltas, output } = runCommand(...chunks);
  expect(texts).toEqual([{ type: "text.ended", text: chunks.join("") }]);
  expect(deltas.join("")).toBe(chunks.join(""));
  expect(output).toBe(chunks.join(""));
});

test("a long output is a text in parts, and the end of the call says how much of it is left out", () => {
  const line = `${"x".repeat(999)}\n`;
  const { texts, deltas, output } = runCommand(...Array.from({ length: 3000 }, () => line));
  expect(texts.map(({ part, last }) => [part, last])).toEqual([
    [1, undefined],
    [2, undefined],
    [3, true],
  ]);
  expect(texts.map(({ text }) => text).join("") === line.repeat(3000)).toBe(true);
  expect(deltas.join("") === line.repeat(3000)).toBe(true);
  expect(output.length).toBeLessThan(300_000);
  expect(output).toMatch(/\[2737856 more characters are in the text\]$/);
});

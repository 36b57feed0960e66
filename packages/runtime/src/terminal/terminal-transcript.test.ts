import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Adapter, NoteOf, Opening } from "@fairlead/contract";
import type { TerminalRecording } from "@fairlead/reducer";
import { afterEach, beforeEach, expect, test } from "vitest";
import { measureTranscript, readTranscriptGain } from "./terminal-transcript.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "fl-terminal-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const id = "0000-aaaa";
const state = { opening: {} as Opening, agentSessionId: id };
const path = (name = id): string => join(folder, `rollout-${name}.jsonl`);
const adapter = (folders = [folder]): Adapter =>
  ({ terminalTranscript: () => ({ folders, fileName: /^rollout-([\w-]+)\.jsonl$/ }) }) as unknown as Adapter;
const opened = { step: "opening", since: 1, takenOverAt: Date.now(), position: null, next: 0, exit: null } as const;

async function measure(recording: TerminalRecording = opened): Promise<TerminalRecording> {
  const position = await measureTranscript(adapter(), state, recording, {});
  return { ...recording, step: "closing", position, next: position?.bytes ?? 0 };
}

async function read(recording: TerminalRecording, one = adapter()): Promise<NoteOf<"terminal-transcript">[]> {
  return await Array.fromAsync(readTranscriptGain(one, state, recording, {}));
}

test("reads the lines that were appended, and only those", async () => {
  writeFileSync(path(), "before\n");
  const recording = await measure();
  expect(recording.position?.bytes).toBe(7);
  appendFileSync(path(), "one\n\ntwö\nunfinished");
  expect(await read(recording)).toEqual([
    {
      type: "terminal-transcript",
      from: 7,
      to: 27,
      lines: ["one", "twö", "unfinished"],
      end: { problem: null, skippedBytes: 0, otherConversations: [] },
    },
  ]);
});

test("reads in parts, and continues after the parts that were recorded", async () => {
  writeFileSync(path(), "");
  const recording = await measure();
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} ${"x".repeat(40)}`);
  appendFileSync(path(), `${lines.join("\n")}\n`);
  const parts = await read(recording);
  expect(parts.length).toBeGreaterThan(2);
  expect(parts.flatMap((part) => part.lines)).toEqual(lines);
  expect(parts.map(({ from }) => from).slice(1)).toEqual(parts.map(({ to }) => to).slice(0, -1));
  expect(parts.filter(({ end }) => end !== undefined)).toEqual([parts.at(-1)]);
  expect(await read({ ...recording, next: parts[0]?.to ?? 0 })).toEqual(parts.slice(1));
});

test("leaves out what is over the limits, and says how much", async () => {
  writeFileSync(path(), "before\n");
  const recording = await measure();
  appendFileSync(path(), `${"x".repeat(2_000_000)}\nshort\n`);
  const withLongLine = await read(recording);
  expect(withLongLine.flatMap(({ lines }) => lines)).toEqual(["short"]);
  expect(withLongLine.at(-1)?.end).toMatchObject({ problem: null, skippedBytes: 2_000_000 });
  const line = `${"y".repeat(999_999)}\n`;
  for (let count = 0; count < 40; count += 1) appendFileSync(path(), line);
  const parts = await read(recording);
  const bytes = parts.flatMap(({ lines }) => lines).reduce((sum, text) => sum + text.length, 0);
  expect(bytes).toBeLessThan(17_000_000);
  expect(parts.at(-1)?.end?.skippedBytes).toBeGreaterThan(25_000_000);
});

test("does not read a transcript that was replaced, truncated or removed", async () => {
  writeFileSync(path(), "before\n");
  const recording = await measure();
  const problem = async (): Promise<unknown> => (await read(recording)).map(({ lines, end }) => [lines, end?.problem]);
  writeFileSync(path(), "BEFORE\nforged\n");
  expect(await problem()).toEqual([[[], "rewritten"]]);
  writeFileSync(path(), "be");
  expect(await problem()).toEqual([[[], "rewritten"]]);
  rmSync(path());
  expect(await problem()).toEqual([[[], "missing"]]);
});

test("neither measures nor reads anything but a regular file", async () => {
  expect((await measure()).position).toBeNull();
  writeFileSync(path(), "before\n");
  const recording = await measure();
  const elsewhere = join(folder, "elsewhere");
  renameSync(path(), elsewhere);
  for (const lay of [
    () => symlinkSync(elsewhere, path()),
    () => execFileSync("mkfifo", [path()]),
    () => mkdirSync(path()),
  ]) {
    lay();
    expect((await measure()).position).toBeNull();
    expect(await read(recording)).toMatchObject([{ lines: [], end: { problem: "unreadable" } }]);
    rmSync(path(), { recursive: true });
  }
  const unsafe = { ...state, agentSessionId: "../elsewhere" };
  expect(await measureTranscript(adapter(), unsafe, opened, {})).toBeNull();
});

test("reports conversations that began meanwhile, and no older ones", async () => {
  writeFileSync(path("older"), "");
  writeFileSync(path(), "before\n");
  await new Promise((resolve) => setTimeout(resolve, 20)); // the times of files are less exact than the clock
  const recording = await measure({ ...opened, takenOverAt: Date.now() });
  await new Promise((resolve) => setTimeout(resolve, 20));
  writeFileSync(path("newer"), "");
  writeFileSync(join(folder, "notes.txt"), "");
  const [part] = await read(recording);
  expect(part?.end?.otherConversations).toEqual(["newer"]);
  expect((await read(recording, adapter([join(folder, "none"), folder])))[0]?.end?.problem).toBeNull();
});

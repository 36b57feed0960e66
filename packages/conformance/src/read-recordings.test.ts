import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readRecordings } from "./read-recordings.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "recordings-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const url = (path: string): URL => pathToFileURL(join(folder, path));

test("returns no recordings for a folder that does not exist yet, and for an empty one", () => {
  expect(readRecordings(url("missing/"))).toEqual([]);
  expect(readRecordings(url("./"))).toEqual([]);
});

test("reads a recording with its expected events, and rejects one without", () => {
  writeFileSync(join(folder, "turn.spool.jsonl"), '{"seq":1,"kind":"out","process":1,"at":0,"id":"","text":"hi"}\n');
  expect(() => readRecordings(url("./"))).toThrow("turn.events.jsonl is missing");
  writeFileSync(join(folder, "turn.events.jsonl"), "");
  expect(readRecordings(url("./"))).toMatchObject([{ name: "turn", records: [{ seq: 1 }], expected: "" }]);
});

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { sessionIndexConformance } from "../conformance.ts";
import { readAllPages, testRow } from "../conformance/test-index-rows.ts";
import type { SessionIndex } from "../session-index.ts";
import { openSqliteIndex } from "./open-sqlite-index.ts";

const folder = mkdtempSync(join(tmpdir(), "fairlead-index-"));
afterAll(() => rmSync(folder, { recursive: true }));

const files = new WeakMap<SessionIndex, string>();
let count = 0;
const newFile = (): string => join(folder, `${++count}.db`);

async function open(file = newFile(), contentVersion = 1): Promise<SessionIndex> {
  const index = await openSqliteIndex({ file, contentVersion });
  files.set(index, file);
  return index;
}

sessionIndexConformance(
  "sqlite",
  () => open(),
  (index) => open(files.get(index)),
);

async function writeRows(file: string, sessions: readonly string[]): Promise<void> {
  await using index = await open(file);
  for (const session of sessions) await index.put(testRow({ session }));
  await index.writePosition("7");
}

test("only its owner can read the file", async () => {
  const file = newFile();
  await writeRows(file, ["s"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("an index of another version is emptied, and has no position", async () => {
  const file = newFile();
  await writeRows(file, ["s"]);
  for (const version of [2, 1]) {
    await using index = await open(file, version);
    expect(await readAllPages(index, {})).toEqual([]);
    expect(await index.count({})).toEqual([]);
    expect(await index.readPosition()).toBeNull();
    await index.put(testRow({ session: "t" }));
  }
});

test.for([
  ["no database", (file: string) => writeFileSync(file, "not a database ".repeat(1000))],
  ["damaged in its first pages", (file: string) => overwrite(file, 100, 12_000)],
  ["damaged in its tables", (file: string) => overwrite(file, 4096 * 3, 4096 * 30)],
] as const)("a file that is %s is replaced by an empty index, at once or when it is read", async ([name, damage]) => {
  const file = newFile();
  await writeRows(
    file,
    Array.from({ length: 400 }, (_, n) => `s${n}`),
  );
  damage(file);
  await using index = await open(file);
  for (const query of [{}, { agent: "agent" }, { prefix: "s" }, { states: ["idle"] }]) await index.page(query);
  await index.put(testRow({ session: "s7", epoch: 2 }));
  expect(await readAllPages(index, {})).toEqual([testRow({ session: "s7", epoch: 2 })]);
  expect(await index.readPosition()).toBeNull();
  // One that was damaged when it was opened was not replaced since.
  expect(index.replacements).toBe(name === "damaged in its tables" ? 1 : 0);
  await index.put(testRow({ session: "t" }));
  expect(await index.count({})).toEqual([{ agent: "agent", state: "idle", count: 2 }]);
});

function overwrite(file: string, start: number, end: number): void {
  const bytes = readFileSync(file);
  bytes.fill(0x5a, start, Math.min(end, bytes.length));
  writeFileSync(file, bytes);
}

test("a removed row is in no file, also while the index is open", async () => {
  const file = newFile();
  await using index = await open(file);
  for (let last = 1; last <= 50; last++) {
    for (const session of ["kept", "forgotten"]) {
      await index.put(testRow({ session, last, content: `content of ${session} ${last} `.repeat(20) }));
    }
  }
  const filesWith = (text: string): string[] =>
    readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text));
  expect(filesWith("content of forgotten")).not.toEqual([]); // control
  await index.remove("forgotten");
  expect(filesWith("content of forgotten")).toEqual([]);
  expect(filesWith("content of kept")).not.toEqual([]);
});

test("no page and no count of states reads rows that it does not return", async () => {
  const file = newFile();
  await writeRows(file, ["s"]);
  using database = new DatabaseSync(file);
  const planOf = (sql: string): string =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((row) => String(row["detail"]))
      .join("; ");
  const order = "ORDER BY lastAt DESC, session DESC LIMIT 10";
  for (const condition of ["TRUE", "state = 'x'", "unfinished = 1", "name = 'x'", "agent = 'x'", "continues = 'x'"]) {
    for (const position of ["TRUE", "(lastAt, session) < ('x', 'y')"]) {
      const plan = planOf(`SELECT * FROM sessions WHERE ${condition} AND ${position} ${order}`);
      expect(plan, condition).toContain("USING INDEX");
      expect(plan, condition).not.toContain("TEMP B-TREE");
    }
  }
  const prefix = planOf("SELECT * FROM sessions WHERE session >= 'x' AND session < 'y' ORDER BY session LIMIT 10");
  expect(prefix).toContain("SEARCH sessions USING INDEX");
});

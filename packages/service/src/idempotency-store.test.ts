import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FairleadError } from "@fairlead/contract";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { IdempotencyStore } from "./idempotency-store.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "idempotency-"));
  file = join(folder, "idempotency.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

const executionFor = (session: string, execute: (session: string, isRetry: boolean) => Promise<unknown>) => ({
  resolveSession: async () => session,
  execute,
});
const mustNotRun = executionFor("other", () => Promise.reject(new Error("The command was executed again.")));

test("creates files that only their owner can read", async () => {
  using store = new IdempotencyStore(file);
  await store.runOnce(
    "a",
    ["send"],
    executionFor("s", async () => ({ title: "a prompt" })),
  );
  const modes = readdirSync(folder).map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8));
  expect(modes.length).toBeGreaterThan(1);
  expect(new Set(modes)).toEqual(new Set(["600"]));
});

test("returns or throws the stored outcome, also in the next process", async () => {
  {
    using store = new IdempotencyStore(file);
    expect(
      await store.runOnce(
        "a",
        ["send", { x: 1, y: 2 }],
        executionFor("s", async () => ({ turn: "t" })),
      ),
    ).toEqual({ turn: "t" });
    expect(
      await store.runOnce(
        "b",
        ["stop"],
        executionFor("s", async () => undefined),
      ),
    ).toBeUndefined();
    const rejected = executionFor("s", () => Promise.reject(new FairleadError("no-open-turn", "No turn.")));
    await expect(store.runOnce("c", ["interrupt"], rejected)).rejects.toThrow("No turn.");
  }
  using store = new IdempotencyStore(file);
  expect(await store.runOnce("a", ["send", { y: 2, x: 1 }], mustNotRun)).toEqual({ turn: "t" });
  expect(await store.runOnce("b", ["stop"], mustNotRun)).toBeUndefined();
  await expect(store.runOnce("c", ["interrupt"], mustNotRun)).rejects.toMatchObject({ code: "no-open-turn" });
  await expect(store.runOnce("a", ["send", { x: 2, y: 2 }], mustNotRun)).rejects.toMatchObject({ code: "conflict" });
});

test("executes a command again after a transient failure, on the session of the first attempt", async () => {
  using store = new IdempotencyStore(file);
  const failing = executionFor("first", () => Promise.reject(new FairleadError("unavailable", "Not now.")));
  await expect(store.runOnce("a", ["send"], failing)).rejects.toThrow("Not now.");
  const execution = await store.runOnce(
    "a",
    ["send"],
    executionFor("second", async (session, isRetry) => ({ session, isRetry })),
  );
  expect(execution).toEqual({ session: "first", isRetry: true });
});

test("stores no key for a command on an unknown session", async () => {
  using store = new IdempotencyStore(file);
  const notFound = {
    resolveSession: () => Promise.reject(new FairleadError("session-not-found", "None.")),
    execute: mustNotRun.execute,
  };
  await expect(store.runOnce("a", ["send"], notFound)).rejects.toThrow("None.");
  expect(
    await store.runOnce(
      "a",
      ["other"],
      executionFor("s", async (_, isRetry) => isRetry),
    ),
  ).toBe(false);
});

test("forgets a key after a week", async () => {
  const day = 24 * 60 * 60 * 1000;
  {
    using store = new IdempotencyStore(file);
    await store.runOnce(
      "a",
      ["send"],
      executionFor("s", async () => 1),
    );
  }
  {
    using store = new IdempotencyStore(file, () => Date.now() + 6 * day);
    expect(await store.runOnce("a", ["send"], mustNotRun)).toBe(1);
  }
  using store = new IdempotencyStore(file, () => Date.now() + 8 * day);
  expect(
    await store.runOnce(
      "a",
      ["send"],
      executionFor("s", async () => 2),
    ),
  ).toBe(2);
});

test("does not store a refusal", async () => {
  using store = new IdempotencyStore(file);
  const refused = executionFor("first", () => Promise.reject(new FairleadError("not-allowed", "No.")));
  await expect(store.runOnce("a", ["send"], refused)).rejects.toThrow("No.");
  const allowed = executionFor("second", async (session, isRetry) => ({ session, isRetry }));
  expect(await store.runOnce("a", ["other"], allowed)).toEqual({ session: "second", isRetry: false });
});

test("opens a file of version 0, drops its refusals and keeps its other outcomes", async () => {
  const old = new DatabaseSync(file);
  old.exec(`CREATE TABLE receipts (
    key TEXT PRIMARY KEY, digest TEXT NOT NULL, session TEXT NOT NULL, outcome TEXT, at INTEGER NOT NULL) STRICT`);
  const insert = old.prepare("INSERT INTO receipts VALUES (?, ?, 's', ?, ?)");
  const digest = createHash("sha256")
    .update(JSON.stringify(["send"]))
    .digest("hex");
  insert.run("refused", digest, JSON.stringify({ problem: { code: "not-allowed", message: "No." } }), Date.now());
  insert.run("sent", digest, JSON.stringify({ result: "not-allowed" }), Date.now());
  old.close();
  for (const expected of ["new", "again"]) {
    using store = new IdempotencyStore(file);
    expect(await store.runOnce("sent", ["send"], mustNotRun)).toBe("not-allowed");
    expect(
      await store.runOnce(
        "refused",
        ["send"],
        executionFor("s", async () => expected),
      ),
    ).toBe("new");
  }
});

test("erases the outcomes of a forgotten session and keeps the keys", async () => {
  using store = new IdempotencyStore(file);
  const execution = executionFor("forgotten", async () => ({ title: "a secret" }));
  await store.runOnce("a", ["start"], execution);
  await store.runOnce(
    "b",
    ["start"],
    executionFor("remaining", async () => "result"),
  );
  store.forget("forgotten");
  await expect(store.runOnce("a", ["start"], mustNotRun)).rejects.toMatchObject({ code: "session-not-found" });
  expect(await store.runOnce("b", ["start"], mustNotRun)).toBe("result");
});

test("removes expired keys in batches while it is open", async () => {
  const week = 7 * 24 * 60 * 60 * 1000;
  let now = Date.now();
  using store = new IdempotencyStore(file, () => now, 10);
  using database = new DatabaseSync(file);
  const insert = database.prepare("INSERT INTO receipts VALUES (?, 'd', 's', NULL, ?)");
  database.exec("BEGIN");
  for (let at = 0; at < 1300; at += 1) insert.run(`key${at}`, now);
  database.exec("COMMIT");
  await store.runOnce(
    "last",
    ["send"],
    executionFor("s", async () => 1),
  );
  const count = (): unknown => database.prepare("SELECT count(*) AS count FROM receipts").get()?.["count"];
  expect(count()).toBe(1301);
  now += week + 60_000;
  await vi.waitFor(() => expect(count()).toBe(0), { timeout: 20_000 });
});

test("finds the commands of a session, and expired keys, by an index", () => {
  using _store = new IdempotencyStore(file);
  using database = new DatabaseSync(file);
  const planOf = (statement: string): string =>
    JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all());
  expect(planOf("UPDATE receipts SET outcome = '' WHERE session = 's' AND key <> 'k'")).toContain("receipts_session");
  expect(planOf("SELECT rowid FROM receipts WHERE at < 5 LIMIT 500")).toContain("receipts_at");
});

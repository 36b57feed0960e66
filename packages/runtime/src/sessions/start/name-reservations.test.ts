import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { FairleadError } from "@fairlead/contract";
import { openSqliteIndex, openSqliteLog, type SqliteLog } from "@fairlead/journal";
import { writeHistory } from "@fairlead/testing/runtime/write-history.ts";
import { expect, test, vi } from "vitest";
import { projectionVersion } from "../../projection/session-projection.ts";
import { eventsUntil, TestHome } from "@fairlead/testing/runtime/test-home.ts";

const isConflict = (error: unknown): boolean => FairleadError.is(error, "conflict");

test("find accepts a name, an id, or the beginning of an id", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const named = await runtime.start({ agent: "scripted", workspace: testHome.folder, name: "greeter" });
  const other = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  expect(await runtime.find("greeter")).toBe(named.id);
  expect(await runtime.find(other.id)).toBe(other.id);
  expect(await runtime.find(named.id.slice(0, 11))).toBe(named.id);
  expect(await runtime.summary(named.id)).toMatchObject({ name: "greeter" });
  expect(await runtime.summary(other.id)).toMatchObject({ name: null });
  const isNotFound = (error: unknown): boolean => FairleadError.is(error, "session-not-found");
  await expect(runtime.find("greet")).rejects.toSatisfy(isNotFound);
});

test("of two processes that start a session with a name at the same time, one gets it", async () => {
  await using testHome = new TestHome();
  const runtimes = [await testHome.open(), await testHome.open()];
  for (let round = 0; round < 3; round += 1) {
    const start = { agent: "scripted", workspace: testHome.folder, name: `name-${round}` };
    const results = await Promise.allSettled(runtimes.map((runtime) => runtime.start(start)));
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const failure = results.find((result) => result.status === "rejected");
    expect(isConflict(failure?.reason)).toBe(true);
  }
});

test("a start that fails returns its name", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const start = { agent: "scripted", workspace: testHome.folder, name: "greeter" };
  // A file where the session's folder would be.
  mkdirSync(testHome.home.sessionsFolder, { recursive: true });
  writeFileSync(testHome.home.sessionFolder("blocked"), "");
  await expect(runtime.start({ ...start, session: "blocked" })).rejects.toThrow();
  rmSync(testHome.home.sessionFolder("blocked"), { force: true });
  expect((await runtime.summary((await runtime.start(start)).id)).name).toBe("greeter");
});

test("a start that fails gives its reason if its name cannot be returned, and the name can be taken", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const start = { agent: "scripted", workspace: testHome.folder, name: "greeter" };
  await using index = await openSqliteIndex({ file: testHome.home.indexFile, contentVersion: projectionVersion });
  const release = vi.spyOn(Object.getPrototypeOf(index) as typeof index, "release");
  release.mockRejectedValueOnce(new Error("database or disk is full"));
  mkdirSync(testHome.home.sessionsFolder, { recursive: true });
  writeFileSync(testHome.home.sessionFolder("blocked"), "");
  await expect(runtime.start({ ...start, session: "blocked" })).rejects.toThrow("ENOTDIR");
  expect(release).toHaveBeenCalledTimes(1);
  release.mockRestore();
  expect((await runtime.summary((await runtime.start(start)).id)).name).toBe("greeter");
});

test("names, ids and prefixes are found without reading the events of any session", async () => {
  await using testHome = new TestHome();
  testHome.home.create();
  let prototype: SqliteLog;
  {
    await using journal = await openSqliteLog({ file: testHome.home.journalFile });
    prototype = Object.getPrototypeOf(journal) as SqliteLog;
    for (let n = 0; n < 50; n += 1) await writeHistory(journal, { session: `aa${n}`, name: `name-${n % 10}`, at: n });
  }
  const runtime = await testHome.open();
  await runtime.find("name-1");
  const events = vi.spyOn(prototype, "read");
  expect(await runtime.find("name-7")).toBe("aa47");
  expect(await runtime.find("aa33")).toBe("aa33");
  await expect(runtime.find("aa3")).resolves.toBe("aa3");
  await expect(runtime.find("aa")).rejects.toThrow(/ambiguous: aa0, aa1, aa10/);
  await expect(runtime.find("aA")).rejects.toThrow(/There is no session/);
  expect(events).not.toHaveBeenCalled();
  events.mockRestore();
});

test("a name that is the beginning of another session's id is ambiguous", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const start = { agent: "scripted", workspace: testHome.folder };
  const original = await runtime.start(start);
  const name = original.id.slice(0, 4);
  const other = await runtime.start({ ...start, name });
  await expect(runtime.find(name)).rejects.toThrow(`the name of ${other.id} and the beginning of ${original.id}`);
});

test("only one open session can have a name, which is free again after its end", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const start = { agent: "scripted", workspace: testHome.folder, name: "greeter" };
  const results = await Promise.allSettled([runtime.start(start), runtime.start(start)]);
  const [first] = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  expect(results.flatMap((result) => (result.status === "rejected" ? isConflict(result.reason) : []))).toEqual([true]);
  await expect(runtime.start(start)).rejects.toSatisfy(isConflict);
  await expect(runtime.start({ ...start, name: first?.id ?? "" })).rejects.toSatisfy(isConflict);
  expect(await Array.fromAsync(runtime.list())).toHaveLength(1);

  await first?.end();
  if (first) await eventsUntil(first, "session.ended");
  expect(await runtime.find("greeter")).toBe(first?.id);
  const second = await runtime.start(start);
  expect(await runtime.find("greeter")).toBe(second.id);
});

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SpoolRecord } from "@fairlead/contract";
import { Keeper } from "../keeper.ts";
import { ManualClock } from "@fairlead/testing/keeper/manual-clock.ts";
import {
  readAllRecords,
  TestSessionFolder,
  shellCommand,
  until,
} from "@fairlead/testing/keeper/test-session-folder.ts";
import { SpoolReader } from "./spool-reader.ts";

const spoolBytes = 400_000;

const size = (session: TestSessionFolder): number =>
  readdirSync(session.spool).reduce((sum, name) => sum + statSync(join(session.spool, name)).size, 0);

/** Waits until the spool has reached its cap, and checks that retries write no more output. Returns the size. */
async function waitUntilFull(session: TestSessionFolder, clock: ManualClock): Promise<number> {
  await until(() => size(session) >= spoolBytes);
  const fullSize = size(session);
  clock.advance(2000);
  expect(size(session)).toBe(fullSize);
  return fullSize;
}

test("an agent blocks at the cap; with repeated trims all its output arrives and the spool stays near the cap", async () => {
  using session = new TestSessionFolder();
  const clock = new ManualClock();
  await using keeper = new Keeper(session.folder, { spoolBytes, clock });
  const upTo = 400_000;
  keeper.handle({ do: "launch", id: "l", command: shellCommand(`seq ${upTo}`) });
  expect(await waitUntilFull(session, clock)).toBeLessThan(spoolBytes + 70_000);
  expect(session.text("exit")).toBe("");
  expect(keeper.handle({ do: "note", id: "n", text: "requests are still accepted" }).duplicate).toBe(false);

  const reader = new SpoolReader(session.spool);
  const records: SpoolRecord[] = [];
  let maxSize = 0;
  await until(() => {
    records.push(...readAllRecords(reader));
    maxSize = Math.max(maxSize, size(session));
    keeper.handle({ do: "trim", id: "t", upTo: reader.lastSeq });
    return records.some((record) => record.kind === "exit");
  }, 25_000);
  const text = Buffer.concat(records.filter(({ kind }) => kind === "out").map(({ bytes }) => bytes)).toString();
  expect(text === Array.from({ length: upTo }, (_, index) => `${index + 1}\n`).join("")).toBe(true);
  expect(maxSize).toBeLessThan(spoolBytes + 300_000);
  expect(records.map((record) => record.seq)).toEqual(records.map((_, index) => index + 1));
});

test("requests may exceed the cap by 16 MiB, and are then rejected until a trim", async () => {
  using session = new TestSessionFolder();
  await using keeper = new Keeper(session.folder, { spoolBytes });
  const text = "x".repeat(4 * 1024 * 1024);
  for (let n = 0; n < 4; n++) keeper.handle({ do: "note", id: `n${n}`, text });
  expect(() => keeper.handle({ do: "note", id: "too much", text })).toThrow("The spool is full.");
  keeper.handle({ do: "trim", id: "t", upTo: keeper.lastSeq });
  expect(keeper.handle({ do: "note", id: "too much", text }).duplicate).toBe(false);
});

test("a spool that one record fills can be trimmed", async () => {
  using session = new TestSessionFolder();
  const clock = new ManualClock();
  await using keeper = new Keeper(session.folder, { spoolBytes: 1000, clock });
  const printed = join(session.folder, "printed");
  const script = `seq 1000; read line; echo two; touch '${printed}'; exec cat`;
  keeper.handle({ do: "launch", id: "l", command: shellCommand(script) });
  await until(() => session.text("out").endsWith("1000\n"));
  keeper.handle({ do: "write", id: "w", text: "\n" });
  await until(() => existsSync(printed));
  clock.advance(2000);
  expect(session.text("out").endsWith("1000\n")).toBe(true);
  keeper.handle({ do: "trim", id: "t", upTo: keeper.lastSeq });
  await until(() => session.text("out") === "two\n");
});

test("a process that is killed at the cap ends, and its exit is recorded", async () => {
  using session = new TestSessionFolder();
  const clock = new ManualClock();
  await using keeper = new Keeper(session.folder, { spoolBytes, clock });
  keeper.handle({ do: "launch", id: "l", command: shellCommand("exec yes") });
  await waitUntilFull(session, clock);
  keeper.handle({ do: "kill", id: "k" });
  expect(await session.exit(1)).toEqual({ code: null, signal: "SIGTERM" });
});

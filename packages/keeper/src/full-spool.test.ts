import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { SpoolRecord } from "@fairlead/contract";
import { Keeper } from "./keeper.ts";
import { readAll, SessionForTest, shell, until } from "./session-for-test.ts";
import { SpoolReader } from "./spool-reader.ts";

const spoolBytes = 400_000;

const size = (session: SessionForTest): number =>
  readdirSync(session.spool).reduce((sum, name) => sum + statSync(join(session.spool, name)).size, 0);

async function untilItStops(session: SessionForTest): Promise<number> {
  for (let before = -1, now = size(session); ; before = now, now = size(session)) {
    if (before === now && now > 0) return now;
    await delay(300);
  }
}

test("at its cap an agent blocks; trimmed again and again, everything comes through, and no more is ever kept", async () => {
  using session = new SessionForTest();
  await using keeper = new Keeper(session.folder, { spoolBytes });
  const upTo = 400_000;
  keeper.take({ do: "launch", id: "l", line: shell(`seq ${upTo}`) });
  expect(await untilItStops(session)).toBeLessThan(spoolBytes + 70_000);
  expect(session.text("exit")).toBe("");
  expect(keeper.take({ do: "note", id: "n", text: "frames are still taken" }).duplicate).toBe(false);

  const reader = new SpoolReader(session.spool);
  const heard: SpoolRecord[] = [];
  let most = 0;
  await until(() => {
    heard.push(...readAll(reader));
    most = Math.max(most, size(session));
    keeper.take({ do: "trim", id: "t", upTo: reader.lastSeq });
    return heard.some((record) => record.kind === "exit");
  }, 25_000);
  const text = Buffer.concat(heard.filter((it) => it.kind === "out").map((it) => it.bytes)).toString();
  expect(text === Array.from({ length: upTo }, (_, index) => `${index + 1}\n`).join("")).toBe(true);
  expect(most).toBeLessThan(spoolBytes + 300_000);
  expect(heard.map((record) => record.seq)).toEqual(heard.map((_, index) => index + 1));
});

test("beyond the cap frames have 16 MiB, and then are refused until it is trimmed", async () => {
  using session = new SessionForTest();
  await using keeper = new Keeper(session.folder, { spoolBytes });
  const text = "x".repeat(4 * 1024 * 1024);
  for (let n = 0; n < 4; n++) keeper.take({ do: "note", id: `n${n}`, text });
  expect(() => keeper.take({ do: "note", id: "too much", text })).toThrow("The spool is full.");
  keeper.take({ do: "trim", id: "t", upTo: keeper.lastSeq });
  expect(keeper.take({ do: "note", id: "too much", text }).duplicate).toBe(false);
});

test("one record may fill it, and can be trimmed all the same", async () => {
  using session = new SessionForTest();
  await using keeper = new Keeper(session.folder, { spoolBytes: 1000 });
  keeper.take({ do: "launch", id: "l", line: shell("seq 1000; sleep 0.3; echo two; exec cat") });
  await until(() => session.text("out").endsWith("1000\n"));
  await delay(600);
  expect(session.text("out").endsWith("1000\n")).toBe(true);
  keeper.take({ do: "trim", id: "t", upTo: keeper.lastSeq });
  await until(() => session.text("out") === "two\n");
});

test("a process that is killed at the cap ends, and its last words and its exit are kept", async () => {
  using session = new SessionForTest();
  await using keeper = new Keeper(session.folder, { spoolBytes });
  keeper.take({ do: "launch", id: "l", line: shell("exec yes") });
  await untilItStops(session);
  keeper.take({ do: "kill", id: "k" });
  expect(await session.exit(1)).toEqual({ code: null, signal: "SIGTERM" });
});

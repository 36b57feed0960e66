import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import { openLocalEngine } from "@fairlead/engine";
import type { LocalFairlead } from "@fairlead/service";
import { expect, onTestFinished, test } from "vitest";
import { answerCall } from "../host/answer-call.ts";
import { HostCalls } from "./host-calls.ts";

const owner = JSON.stringify({ host: "one" });
const tail = { epoch: 1, last: 3, fence: 0n, owner };
const never = new AbortController().signal;

/** Opens a host that serves a session and its own address, and answers as given. */
async function openHost(
  answer: (...values: unknown[]) => Promise<unknown>,
  elsewhere: () => boolean,
): Promise<HostCalls> {
  const folder = mkdtempSync(join(tmpdir(), "calls-"));
  const { bus, ...engine } = await openLocalEngine({
    journalFile: join(folder, "journal.db"),
    indexFile: join(folder, "index.db"),
    indexContentVersion: 1,
    tokensFile: join(folder, "tokens.json"),
    objectsFolder: join(folder, "objects"),
  });
  onTestFinished(async () => {
    await engine[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  const methods = { send: answer, type: answer, files: answer, session: answer };
  const fairlead = { ...methods, flushIndex: async () => {} } as unknown as LocalFairlead;
  const log = { tail: async () => tail };
  for (const address of ["s", "host/one"])
    await bus.serve(address, 1, (call) =>
      answerCall({ fairlead, log, hosts: { isElsewhere: elsewhere }, isAway: () => false }, call),
    );
  const hosts = { isAlive: async () => false };
  return new HostCalls({
    engine: { bus, log, hosts } as never,
    patience: 2000,
    ownerOf: async () => owner,
    moveLost: async () => {},
  });
}

test("a command that failed on its host is not repeated, although it may succeed later", async () => {
  let count = 0;
  const calls = await openHost(
    async () => {
      count += 1;
      throw new FairleadError("unavailable", "The keeper does not respond.");
    },
    () => false,
  );
  await expect(calls.callSession("s", { method: "send", args: ["s", "text"] }, never)).rejects.toMatchObject({
    code: "unavailable",
    message: "The keeper does not respond.",
  });
  expect(count).toBe(1);
});

test("a command that reached the wrong host is repeated until the right one has it", async () => {
  let refusals = 0;
  const calls = await openHost(
    async () => ({ turn: "t" }),
    () => ++refusals < 4,
  );
  expect(await calls.callSession("s", { method: "send", args: ["s", "text"] }, never)).toEqual({ turn: "t" });
  expect(refusals).toBe(4);
});

test("a command waits for a host that has left and joins again, and a question does not", async () => {
  let isThere = false;
  const calls = await openHost(
    async () => ({ turn: "t" }),
    () => !isThere,
  );
  const start = performance.now();
  await expect(calls.callSession("s", { method: "session", args: ["s"] }, never)).rejects.toMatchObject({
    code: "unavailable",
  });
  expect(performance.now() - start).toBeLessThan(1000);
  setTimeout(() => (isThere = true), 600);
  expect(await calls.callSession("s", { method: "send", args: ["s", "text"] }, never)).toEqual({ turn: "t" });
});

test("a command whose session moves meanwhile is repeated with its key, or one of the gateway", async () => {
  const keys: unknown[] = [];
  const calls = await openHost(
    async (...values: unknown[]) => {
      keys.push((values[2] as { key?: string }).key);
      if (keys.length % 3 !== 0) throw new FairleadError("fenced", "Another process drives session s now.");
      return { turn: "t" };
    },
    () => false,
  );
  const call = { method: "send", args: ["s", "text"] } as const;
  expect(await calls.callSession("s", { ...call, options: { key: "k" } }, never)).toEqual({ turn: "t" });
  expect(keys.splice(0)).toEqual(["k", "k", "k"]);
  for (let command = 0; command < 2; command += 1)
    expect(await calls.callSession("s", { ...call, options: { approvalsRequired: true } }, never)).toEqual({
      turn: "t",
    });
  const [first, , , second] = keys;
  expect(keys).toEqual([first, first, first, second, second, second]);
  expect(first).toEqual(expect.any(String));
  expect(second).not.toBe(first);
});

test("key strokes get no key, and are not repeated while it is unknown whether they were typed", async () => {
  const keys: unknown[] = [];
  const calls = await openHost(
    async (...values: unknown[]) => {
      keys.push((values[2] as { key?: string }).key);
      throw new FairleadError("fenced", "Another process drives session s now.");
    },
    () => false,
  );
  await expect(calls.callSession("s", { method: "type", args: ["s", "text"] }, never)).rejects.toMatchObject({
    code: "indeterminate",
  });
  expect(keys).toEqual([undefined]);
});

test("a question whose host is gone before the answer is repeated", async () => {
  let count = 0;
  const calls = await openHost(
    async () => {
      count += 1;
      if (count < 3) throw new FairleadError("fenced", "Another process drives session s now.");
      return [];
    },
    () => false,
  );
  expect(await calls.callSession("s", { method: "files", args: ["s"] }, never)).toEqual([]);
  expect(count).toBe(3);
  // The index answers it at once.
  count = 0;
  await expect(calls.callSession("s", { method: "session", args: ["s"] }, never)).rejects.toMatchObject({
    code: "indeterminate",
  });
  expect(count).toBe(1);
});

test("a command that may have been executed is never called one without an effect", async () => {
  let isGone = false;
  const calls = await openHost(
    async () => {
      isGone = true;
      throw new FairleadError("fenced", "Another process drives session s now.");
    },
    () => isGone,
  );
  const call = { method: "send", args: ["s", "text"], options: { key: "k" } } as const;
  await expect(calls.callSession("s", call, never)).rejects.toMatchObject({
    code: "indeterminate",
    message: expect.stringContaining("Repeat it with the same key."),
  });
});

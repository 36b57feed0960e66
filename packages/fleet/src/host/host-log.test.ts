import type { Journal, LogTail } from "@fairlead/journal";
import { expect, test } from "vitest";
import { HostLog } from "./host-log.ts";

const owners = new Map([
  ["left", "an earlier process"],
  ["driven", "this process"],
  ["moved", "another host"],
]);

function openLog(tail: (session: string) => Promise<LogTail>): HostLog {
  return new HostLog({
    log: { tail } as Partial<Journal> as Journal,
    hosts: { isElsewhere: (owner) => owner === "another host" },
    isOwn: (owner) => owner === "this process",
    listLocal: () => Promise.resolve([...owners.keys()]),
    onElsewhere: async (session, epoch) => void moved.push([session, epoch]),
  });
}

const moved: (readonly [string, number])[] = [];

test("lists what an earlier process has left until an update was complete, and nothing afterwards", async () => {
  let isDown = true;
  const log = openLog(async (session) => {
    if (isDown) throw new Error("the servers elect a leader");
    return { epoch: 1, last: 1, fence: 1n, owner: owners.get(session) ?? "" };
  });
  await expect(log.changes(null)).rejects.toThrow("elect");
  isDown = false;
  const first = await log.changes(null);
  expect(first.sessions).toEqual(["left"]);
  expect(moved).toEqual([["moved", 1]]);
  // The update that got this list failed: it has not stored the position.
  expect((await log.changes(null)).sessions).toEqual(["left"]);
  expect((await log.changes("of an earlier process")).sessions).toEqual(["left"]);
  expect((await log.changes(first.position)).sessions).toEqual([]);
  expect((await Array.fromAsync(log.sessions())).map(({ session }) => session)).toEqual(["left", "driven"]);
});

test("reads several ends at a time", async () => {
  let reading = 0;
  let most = 0;
  const log = new HostLog({
    log: {
      tail: async () => {
        most = Math.max(most, ++reading);
        await new Promise(setImmediate);
        reading -= 1;
        return { epoch: 1, last: 1, fence: 1n, owner: "" };
      },
    } as Partial<Journal> as Journal,
    hosts: { isElsewhere: () => false },
    isOwn: () => false,
    listLocal: () => Promise.resolve(Array.from({ length: 100 }, (_, n) => `s${n}`)),
    onElsewhere: () => Promise.resolve(),
  });
  expect((await log.changes(null)).sessions).toHaveLength(100);
  expect(most).toBe(32);
});

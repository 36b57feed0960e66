import type { Adapter } from "@fairlead/contract";
import { FairleadError } from "@fairlead/contract";
import type { Journal } from "@fairlead/journal";
import type { KeeperConnection } from "@fairlead/keeper";
import { TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { expect, test } from "vitest";
import { SessionActors, type SessionActorsOptions } from "./session-actors.ts";

const deadlines = { confirmedAt: 1n, freezeAt: 2n, endAt: 3n };

/** Attaches to a session with a running keeper. Returns what happened until the claim failed, or the first read after it. */
async function attach(testHome: TestHome, claim: "fenced" | "claimed"): Promise<readonly string[]> {
  const actions: string[] = [];
  let isElsewhere = false;
  const journal = {
    carriesNotes: true,
    tail: async () => ({ epoch: 1, last: 5, fence: 5n, owner: "this host" }),
    append: async () => {
      // Later than all that was sent before.
      await new Promise(setImmediate);
      actions.push(claim);
      isElsewhere = claim === "fenced";
      if (isElsewhere) throw new FairleadError("fenced", "Another host has claimed it.");
      return 6n;
    },
    read: () => {
      throw new Error("The test ends here.");
    },
  } as unknown as Journal;
  const keeper = {
    attend: ({ onlyShortens = false }) => void actions.push(onlyShortens ? "shorten" : "attend"),
    [Symbol.asyncDispose]: async () => void actions.push("close"),
  } as unknown as KeeperConnection;
  await using actors = new SessionActors({
    home: testHome.home,
    journal,
    hosts: { isElsewhere: () => isElsewhere },
    owner: "this process",
    environment: {},
    attendance: { limits: { freezeMs: 1, endMs: 2 }, deadlines: () => deadlines },
  } as unknown as SessionActorsOptions);
  await expect(actors.start("s", {} as Adapter, keeper)).rejects.toThrow(
    claim === "fenced" ? "another host now" : "test ends",
  );
  return actions;
}

test("an agent gets no more time from a process before that has claimed its session", async () => {
  await using testHome = new TestHome();
  expect(await attach(testHome, "fenced")).toEqual(["shorten", "fenced", "close"]);
  expect(await attach(testHome, "claimed")).toEqual(["shorten", "claimed", "attend", "close"]);
});

import type { Ticket } from "@fairlead/engine";
import type { LogTail } from "@fairlead/journal";
import { expect, test } from "vitest";
import type { StartJob } from "../start-job.ts";
import { StartTaker } from "./start-taker.ts";

const params: StartJob = {
  id: "job",
  request: { workspace: "/srv/w" },
  digest: "digest",
  options: { key: "k" },
  expiresAt: new Date(Date.now() + 60_000).toISOString(),
};

interface FakeEngine {
  /** Returns the end of the session's log at each look. */
  readonly tail: () => LogTail;
  readonly start: () => Promise<never>;
}

/** Lets a host take one start. Returns the outcomes that it stores and the errors that it reports. */
async function takeOne({ tail, start }: FakeEngine): Promise<{ outcomes: unknown[]; errors: unknown[] }> {
  const outcomes: unknown[] = [];
  const errors: unknown[] = [];
  const ticket: Ticket = {
    job: { kind: "start", params },
    key: "k",
    attempt: 1,
    lease: 30_000,
    extend: async () => {},
    done: async (outcome) => void outcomes.push(outcome),
    [Symbol.asyncDispose]: async () => {},
  };
  const taker = new StartTaker({
    takeMove: async () => null,
    engine: {
      queue: {
        put: () => Promise.reject(new Error("unused")),
        async *take() {
          yield ticket;
        },
      },
      log: { tail: async () => tail() } as never,
      hosts: {
        isElsewhere: (owner: string) => owner !== "",
        isAlive: async (owner: string) => owner === "alive",
      } as never,
    },
    fairlead: { start, flushIndex: async () => {} },
    pool: "default",
    waitForRoom: async () => {},
    reserve: () => ({ [Symbol.dispose]: () => {} }),
    onError: (error) => void errors.push(error),
  });
  await taker.take(new AbortController().signal);
  return { outcomes, errors };
}

test("an unexpected error of a start is reported on its host, and its text does not reach the caller", async () => {
  const failure = new Error("secret");
  const { outcomes, errors } = await takeOne({
    tail: () => ({ epoch: 0, last: 0, fence: 0n, owner: "" }),
    start: () => Promise.reject(failure),
  });
  expect(errors).toEqual([failure]);
  expect(outcomes).toMatchObject([{ job: "job", problem: { code: "unavailable" } }]);
  expect(JSON.stringify(outcomes)).not.toContain("secret");
});

test("waits for a host that lost its connection while it began the start", async () => {
  let looks = 0;
  const { outcomes } = await takeOne({
    tail: () => ({ epoch: 1, last: ++looks < 3 ? 0 : 2, fence: 1n, owner: "alive" }),
    start: () => Promise.reject(new Error("started twice")),
  });
  const session = expect.any(String) as string;
  expect(outcomes).toEqual([{ job: "job", digest: "digest", session, isPromptUnknown: true }]);
  expect(looks).toBe(3);
});

test("starts a session that a host claimed before it was lost", async () => {
  let starts = 0;
  const { outcomes } = await takeOne({
    tail: () => ({ epoch: 1, last: 0, fence: 1n, owner: "dead" }),
    start: async () => void (starts += 1) as never,
  });
  expect(outcomes).toEqual([{ job: "job", digest: "digest", session: expect.any(String) as string }]);
  expect(starts).toBe(1);
});

test("takes a session over that a lost host had started, or leaves it to others", async () => {
  const failure = new Error("This host has no folder /srv/w.");
  const { outcomes, errors } = await takeOne({
    tail: () => ({ epoch: 1, last: 2, fence: 1n, owner: "dead" }),
    start: () => Promise.reject(failure),
  });
  const session = expect.any(String) as string;
  expect(outcomes).toEqual([{ job: "job", digest: "digest", session, isPromptUnknown: true }]);
  expect(errors).toEqual([failure]);
});

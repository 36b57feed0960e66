import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StartRequest } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { openLocalEngine, type WorkQueue } from "@fairlead/engine";
import { expect, onTestFinished, test } from "vitest";
import { StartJob, type StartOutcome } from "../start-job.ts";
import { startInPool } from "./start-in-pool.ts";

const request: StartRequest = { workspace: "/srv/w" };
const pool = "default";
const { signal } = new AbortController();
const send = (): Promise<never> => Promise.reject(new Error("A prompt was sent."));

async function openQueue(): Promise<WorkQueue> {
  const folder = mkdtempSync(join(tmpdir(), "pool-"));
  const engine = await openLocalEngine({
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
  return engine.queue;
}

/** Takes one job and ends it as given. */
async function takeOne(queue: WorkQueue, answer: (job: StartJob) => StartOutcome): Promise<StartJob> {
  const stop = new AbortController();
  for await (const ticket of queue.take(pool, stop.signal)) {
    const job = StartJob.parse(ticket.job.params);
    await ticket.done(answer(job));
    stop.abort();
    return job;
  }
  throw new Error("There was no job.");
}

test("a start that was given up is not begun later, also with a key", async () => {
  const queue = await openQueue();
  for (const command of [{}, { key: "k" }]) {
    await expect(startInPool(request, command, { queue, pool, timeout: 50, signal, send })).rejects.toMatchObject({
      code: "unavailable",
    });
    const job = await takeOne(queue, ({ id, digest }) => ({ job: id, digest, session: "s" }));
    expect(Date.parse(job.expiresAt)).toBeLessThan(Date.now());
  }
});

test("a start that is repeated with its key after a failure that may pass is done again", async () => {
  const queue = await openQueue();
  const start = (): Promise<string> => startInPool(request, { key: "k" }, { queue, pool, timeout: 5000, signal, send });
  for (const message of ["The disk is full.", "The disk is full again."]) {
    const starting = start();
    starting.catch(() => {});
    await takeOne(queue, ({ id, digest }) => ({ job: id, digest, problem: { code: "unavailable", message } }));
    await expect(starting).rejects.toThrow(message);
  }
  const [one, other] = [start(), start()];
  await takeOne(queue, ({ id, digest }) => ({ job: id, digest, session: "s" }));
  expect(await Promise.all([one, other, start()])).toEqual(["s", "s", "s"]);
});

test("a start that is repeated with its key after a final failure gets that failure", async () => {
  const queue = await openQueue();
  const start = (): Promise<string> => startInPool(request, { key: "k" }, { queue, pool, timeout: 5000, signal, send });
  const starting = start();
  starting.catch(() => {});
  const problem = { code: "invalid-settings", message: "No." } as const;
  await takeOne(queue, ({ id, digest }) => ({ job: id, digest, problem }));
  await expect(starting).rejects.toMatchObject(problem);
  await expect(start()).rejects.toMatchObject(problem);
});

test("a prompt that another host may have sent is sent with the key, and may be refused as sent", async () => {
  const queue = await openQueue();
  for (const code of [undefined, "conflict", "session-ended"] as const) {
    const sent: unknown[] = [];
    const starting = startInPool(
      { ...request, prompt: "Continue." },
      { key: `k-${code}` },
      {
        queue,
        pool,
        timeout: 5000,
        signal,
        send: async (...args) => {
          sent.push(args);
          if (code !== undefined) throw new FairleadError(code, "It was sent.");
        },
      },
    );
    await takeOne(queue, ({ id, digest }) => ({ job: id, digest, session: "s", isPromptUnknown: true }));
    expect(await starting).toBe("s");
    expect(sent).toEqual([["s", "Continue.", { key: `k-${code}` }]]);
  }
});

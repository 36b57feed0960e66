import { FairleadError } from "@fairlead/contract";
import { expect, test } from "vitest";
import { type ReadFailure, Retries } from "./retries.ts";

const outage = new FairleadError("unavailable", "gone");

/** Retries whose waits end at once, with the waits and reports that they made. */
function observe() {
  const waits: number[] = [];
  const reports: (ReadFailure | null)[] = [];
  const retries = new Retries(
    (failure) => void reports.push(failure),
    async (milliseconds) => void waits.push(milliseconds),
  );
  return { retries, waits, reports };
}

/** Fails so often before it succeeds. */
function failing(count: number, error: Error = outage): () => Promise<string> {
  let attempts = 0;
  return async () => {
    if (attempts++ < count) throw error;
    return "read";
  };
}

const never = new AbortController().signal;

test("a read is repeated with growing delays until it succeeds, and its failure is reported meanwhile", async () => {
  const { retries, waits, reports } = observe();
  expect(await retries.run("page", failing(7), never)).toBe("read");
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(reports[0]).toEqual({ error: outage, isFinal: false });
  expect(reports.at(-1)).toBeNull();
});

test("a read that would fail in the same way is not repeated, and its failure stays", async () => {
  for (const code of ["session-not-found", "not-allowed"] as const) {
    const { retries, waits, reports } = observe();
    const error = new FairleadError(code, "no");
    expect(await retries.run("page", failing(1, error), never)).toBeNull();
    expect(waits).toEqual([]);
    expect(reports).toEqual([{ error, isFinal: true }]);
    // Another read that succeeds changes nothing of it.
    await retries.run("other", failing(1), never);
    expect(reports.at(-1)).toEqual({ error, isFinal: true });
  }
});

test("a stream that worked begins again with the first delay", async () => {
  const { retries, waits, reports } = observe();
  const leaving = new AbortController();
  let attempts = 0;
  const stream = async (onWorks: () => void): Promise<void> => {
    attempts += 1;
    if (attempts === 3) {
      onWorks();
      expect(reports.at(-1)).toBeNull();
    }
    if (attempts === 5) return leaving.abort();
    throw outage;
  };
  await retries.run("stream", stream, leaving.signal);
  expect(waits).toEqual([1_000, 2_000, 1_000, 2_000]);
});

test("a person ends the wait, and a read that is no longer wanted ends", async () => {
  const leaving = new AbortController();
  const waiting = Promise.withResolvers<void>();
  const retries = new Retries(
    () => {},
    async (_, signal) => {
      waiting.resolve();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    },
  );
  const read = retries.run("page", failing(1), leaving.signal);
  await waiting.promise;
  retries.now();
  expect(await read).toBe("read");
  const unwanted = retries.run("page", failing(99), leaving.signal);
  leaving.abort();
  expect(await unwanted).toBeNull();
});

test("an attempt that was under way when the connection came back is repeated without a delay", async () => {
  const { retries, waits } = observe();
  let attempts = 0;
  const read = async (): Promise<string> => {
    attempts += 1;
    if (attempts === 2) retries.now();
    if (attempts <= 3) throw outage;
    return "read";
  };
  expect(await retries.run("page", read, never)).toBe("read");
  // After the first attempt and the third one: the second one ended with the connection of before.
  expect(waits).toEqual([1_000, 1_000]);
});

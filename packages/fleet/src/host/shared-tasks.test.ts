import { expect, test } from "vitest";
import { SharedTasks } from "./shared-tasks.ts";

const { signal } = new AbortController();

test("callers of one key share a task, and the next caller starts another", async () => {
  const tasks = new SharedTasks<number>();
  const first = Promise.withResolvers<number>();
  const shared = [tasks.run("a", () => first.promise, signal), tasks.run("a", async () => 2, signal)];
  expect(await tasks.run("b", async () => 3, signal)).toBe(3);
  first.resolve(1);
  expect(await Promise.all(shared)).toEqual([1, 1]);
  expect(await tasks.run("a", async () => 4, signal)).toBe(4);
});

test("all callers get the error of a task", async () => {
  const tasks = new SharedTasks<number>();
  const fail = (): Promise<never> => Promise.reject(new Error("No."));
  const outcomes = await Promise.allSettled([tasks.run("a", fail, signal), tasks.run("a", fail, signal)]);
  expect(outcomes).toMatchObject([{ reason: { message: "No." } }, { reason: { message: "No." } }]);
});

test("only the last caller that aborts ends the task, and waits for its end", async () => {
  const tasks = new SharedTasks<number>();
  const [one, two] = [new AbortController(), new AbortController()];
  const ending = Promise.withResolvers<number>();
  let taskSignal: AbortSignal | undefined;
  const start = (task: AbortSignal): Promise<number> => {
    taskSignal = task;
    return ending.promise;
  };
  const first = tasks.run("a", start, one.signal);
  const second = tasks.run("a", start, two.signal);
  one.abort(new Error("Enough."));
  await expect(first).rejects.toThrow("Enough.");
  expect(taskSignal?.aborted).toBe(false);
  const aborted = new Promise((resolve) => taskSignal?.addEventListener("abort", resolve));
  two.abort();
  await aborted;
  // It comes while the task ends, and starts one of its own.
  const third = tasks.run("a", async () => 3, signal);
  ending.resolve(1);
  expect(await second).toBe(1);
  expect(await third).toBe(3);
});

import { FairleadError, type Event } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { HostDrain, type HostDrainOptions } from "./host-drain.ts";
import { WorkIntake } from "./work-intake.ts";

const empty = { moved: [], ended: [], left: [] };

/** The drain of a host that records what it does. */
function createDrain(changes: Partial<HostDrainOptions>): { readonly drain: HostDrain; readonly done: string[] } {
  const done: string[] = [];
  const drain = new HostDrain({
    departures: {
      drain: async (_, signal) => {
        done.push("move");
        signal?.throwIfAborted();
        return empty;
      },
      isLeaving: () => false,
    },
    hasOthers: async () => true,
    intake: { start: () => void done.push("start"), stop: async () => void done.push("stop") },
    list: () => [],
    untilRecovered: async () => void done.push("recovered"),
    announce: async (isDraining) => void done.push(isDraining ? "draining" : "ready"),
    onError: (error) => void done.push((error as Error).message),
    ...changes,
  });
  return { drain, done };
}

test("a host takes no more work before it moves its sessions", async () => {
  const { drain, done } = createDrain({});
  expect(await drain.run()).toEqual(empty);
  expect(await drain.undo()).toBe(true);
  expect(await createDrain({}).drain.undo()).toBe(false);
  expect(done).toEqual(["draining", "stop", "recovered", "move", "start", "ready"]);
});

test("a host drains although the servers cannot store that it does", async () => {
  const announce = (): Promise<never> => Promise.reject(new FairleadError("unavailable", "No leader."));
  const { drain, done } = createDrain({ announce });
  expect(await drain.run()).toEqual(empty);
  expect(done).toEqual(["No leader.", "stop", "recovered", "move"]);
});

test.each(["announce", "untilRecovered"] as const)("a drain that is undone during %s moves nothing", async (step) => {
  const begun = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const wait = async (): Promise<void> => {
    begun.resolve();
    await mayEnd.promise;
  };
  const { drain, done } = createDrain({ [step]: wait });
  const running = drain.run();
  await begun.promise;
  const undone = drain.undo();
  mayEnd.resolve();
  await expect(running).rejects.toMatchObject({ code: "conflict" });
  await undone;
  expect(done).not.toContain("move");
  expect(done).toContain("start");
});

test.each(["announce", "untilRecovered"] as const)("a signal ends a drain during %s at once", async (step) => {
  const begun = Promise.withResolvers<void>();
  const wait = (): Promise<void> => {
    begun.resolve();
    return new Promise(() => {});
  };
  const { drain, done } = createDrain({ [step]: wait });
  const signal = new AbortController();
  const running = drain.run(signal.signal);
  await begun.promise;
  signal.abort(new Error("stopped"));
  await expect(running).rejects.toThrow("stopped");
  expect(done).not.toContain("move");
});

test("a host that drained takes no work when it joins again, until that is undone", async () => {
  const { drain, done } = createDrain({});
  await drain.begin({ isDraining: true });
  expect([drain.isDraining, done]).toEqual([true, ["draining"]]);
  await drain.undo();
  expect([drain.isDraining, done]).toEqual([false, ["draining", "start", "ready"]]);
});

test("work is taken again once that which was taken before a stop is done", async () => {
  const closing = new AbortController();
  const takes: { readonly signal: AbortSignal; readonly done: () => void }[] = [];
  const intake = new WorkIntake((signal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    takes.push({ signal, done: resolve });
    return promise;
  }, closing.signal);
  intake.start();
  intake.start();
  await Promise.resolve();
  expect(takes).toHaveLength(1);
  const stopped = intake.stop();
  expect(takes[0]?.signal.aborted).toBe(true);
  intake.start();
  expect(takes).toHaveLength(1);
  takes[0]?.done();
  await stopped;
  expect(takes).toHaveLength(2);
  expect(takes[1]?.signal.aborted).toBe(false);
  closing.abort();
  expect(takes[1]?.signal.aborted).toBe(true);
  takes[1]?.done();
  await intake.settled();
});

test("the drain of a process that stops is not undone: the host would take work and end", async () => {
  const mayEnd = Promise.withResolvers<typeof empty>();
  const { drain, done } = createDrain({ departures: { drain: () => mayEnd.promise, isLeaving: () => false } });
  const running = drain.run(new AbortController().signal);
  const refusal = { code: "conflict", message: expect.stringContaining("fairlead host join") as string };
  await expect(drain.undo()).rejects.toMatchObject(refusal);
  mayEnd.resolve(empty);
  expect(await running).toEqual(empty);
  await expect(drain.undo()).rejects.toMatchObject(refusal);
  expect(drain.isDraining).toBe(true);
  expect(done).not.toContain("start");
});

describe("a session that begins to run on a host that has drained", () => {
  const resumed = { session: "a", body: { type: "session.unpaused" } } as Event;
  const begun = (continues: object | null): Event =>
    ({ session: "a", body: { type: "session.started", continues } }) as unknown as Event;

  async function listLeaving(
    event: Event,
    changes: Partial<HostDrainOptions> & { readonly isLeaving?: boolean } = {},
  ): Promise<readonly string[]> {
    const { isLeaving = false, ...others } = changes;
    const leaving: string[] = [];
    const driven = ["a", "b"];
    const drainOne = async (list: () => readonly string[]): Promise<typeof empty> => {
      for (const session of list()) {
        leaving.push(session);
        driven.splice(driven.indexOf(session), 1);
      }
      expect(list()).toEqual([]);
      return empty;
    };
    const { drain } = createDrain({
      departures: { drain: drainOne, isLeaving: () => isLeaving },
      list: () => driven,
      ...others,
    });
    drain.onEvent(event);
    await drain.begin({ isDraining: true });
    expect(leaving).toEqual([]);
    drain.onEvent(event);
    await new Promise(setImmediate);
    await drain.undo();
    drain.onEvent(event);
    await new Promise(setImmediate);
    return leaving;
  }

  test.each([
    ["was resumed", resumed],
    ["continues another one", begun({ session: "b" })],
  ])("leaves if it %s", async (_, event) => {
    expect(await listLeaving(event)).toEqual(["a"]);
  });

  test.each([
    ["was started, because the drain waits for starts", begun(null), {}],
    ["was resumed because no host took it", resumed, { isLeaving: true }],
    ["has no other host to go to", resumed, { hasOthers: async () => false }],
  ])("stays if it %s", async (_, event, changes) => {
    expect(await listLeaving(event, changes)).toEqual([]);
  });

  test("leaves although the other hosts cannot be listed", async () => {
    const hasOthers = (): Promise<never> => Promise.reject(new FairleadError("unavailable", "No leader."));
    expect(await listLeaving(resumed, { hasOthers })).toEqual(["a"]);
  });
});

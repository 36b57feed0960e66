import type { Ticket } from "@fairlead/engine";
import { expect, test, vi } from "vitest";
import { MoveLimit } from "./move-limit.ts";
import { maxArrivals, takeMove } from "./take-move.ts";

test("a host takes 32 sessions over at the same time, and reserves a place for each that waits", async () => {
  const arriving: (() => void)[] = [];
  let reserved = 0;
  const fairlead = {
    arrive: async () => {
      await new Promise<void>((resolve) => arriving.push(resolve));
      return "arrived" as const;
    },
    flushIndex: async () => {},
  };
  const reserve = (): Disposable => {
    reserved += 1;
    return { [Symbol.dispose]: () => void (reserved -= 1) };
  };
  const onFailure = vi.fn<() => void>();
  const arrivals = new MoveLimit(maxArrivals);
  const take = (session: string): ReturnType<typeof takeMove> => {
    const ticket = { job: { kind: "move", params: { session, refusedBy: [] } }, attempt: 1 } as unknown as Ticket;
    return takeMove(ticket, { fairlead, host: "two", reserve, arrivals, onFailure });
  };
  const taking = Array.from({ length: 40 }, (_, number) => take(`s${number}`));
  expect(reserved).toBe(40);
  let most = 0;
  for (let arrived = 0; arrived < 40; arrived += 1) {
    await vi.waitUntil(() => arriving.length > 0);
    most = Math.max(most, arriving.length);
    arriving.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(most).toBe(32);
  expect(await Promise.all(taking)).toEqual(Array.from({ length: 40 }, () => ({ host: "two", arrival: "arrived" })));
  expect(reserved).toBe(0);
  expect(onFailure).not.toHaveBeenCalled();
});

test("a job returns to the queue if the host works on others for too long", async () => {
  const release = Promise.withResolvers<"arrived">();
  const fairlead = { arrive: () => release.promise, flushIndex: async () => {} };
  const ticket = { job: { kind: "move", params: { session: "s", refusedBy: [] } }, attempt: 1 } as unknown as Ticket;
  const reserve = (): Disposable => ({ [Symbol.dispose]: () => {} });
  const options = { fairlead, host: "two", reserve, arrivals: new MoveLimit(1), maxWait: 20, onFailure() {} };
  const first = takeMove(ticket, options);
  expect(await takeMove(ticket, options)).toBeNull();
  release.resolve("arrived");
  expect(await first).toEqual({ host: "two", arrival: "arrived" });
  expect(await takeMove(ticket, options)).toEqual({ host: "two", arrival: "arrived" });
});

test("reports which session could not arrive, and why", async () => {
  const error = new Error("The repository is away.");
  const fairlead = { arrive: () => Promise.reject(error), flushIndex: async () => {} };
  const ticket = { job: { kind: "move", params: { session: "s", refusedBy: [] } }, attempt: 1 } as unknown as Ticket;
  const reserve = (): Disposable => ({ [Symbol.dispose]: () => {} });
  const onFailure = vi.fn<() => void>();
  await takeMove(ticket, { fairlead, host: "two", reserve, arrivals: new MoveLimit(1), onFailure });
  expect(onFailure.mock.calls).toEqual([[{ session: "s", move: "arrival", error }]]);
});

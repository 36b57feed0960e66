import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Ticket } from "../work-queue.ts";
import { createSuiteDeadline, expectNoListeners, openShared, type OpenPart, type ReopenPart } from "./opened-engine.ts";
import { createTestJob, putAndLeave, TestTaker } from "./test-taker.ts";

const conflict = { code: "conflict" };

export function testTickets(open: OpenPart<"queue">, reopen: ReopenPart<"queue"> | undefined): void {
  describe("tickets", () => {
    test("a job whose ticket is disposed without `done` goes to the next taker", async () => {
      await using engines = await openShared(open, reopen);
      const outcome = engines.first.queue.put("pool", createTestJob("p"), "k", createSuiteDeadline());
      await using first = new TestTaker(engines.second.queue, "pool");
      await using second = new TestTaker(engines.third.queue, "pool");
      const returned = await first.next();
      await returned[Symbol.asyncDispose]();
      const ticket = await second.next();
      expect(ticket).toMatchObject({ key: "k", attempt: 2, job: { params: "p" } });
      await expect(returned.done("first")).rejects.toMatchObject(conflict);
      await expect(returned.extend()).rejects.toMatchObject(conflict);
      await returned[Symbol.asyncDispose]();
      await ticket.done("second");
      expect(await outcome).toBe("second");
    });

    test("a job whose taker is silent goes to another taker, and the first can neither end nor return it", async () => {
      await using engines = await openShared(open, reopen);
      const outcome = engines.first.queue.put("pool", createTestJob(), "k", createSuiteDeadline());
      await using first = new TestTaker(engines.second.queue, "pool");
      const lost = await first.next();
      await using second = new TestTaker(engines.third.queue, "pool");
      const ticket = await second.next();
      expect(ticket).toMatchObject({ key: "k", attempt: 2 });
      await expect(lost.done("first")).rejects.toMatchObject(conflict);
      await expect(lost.extend()).rejects.toMatchObject(conflict);
      await lost[Symbol.asyncDispose]();
      await ticket.extend();
      // If the disposal had returned the job, it would come before this one.
      putAndLeave(engines.first.queue, "pool", createTestJob(), "next");
      expect((await first.next()).key).toBe("next");
      await ticket.done("second");
      expect(await outcome).toBe("second");
    });

    test("a ticket that is extended keeps its job", async () => {
      await using engines = await openShared(open, reopen);
      const outcome = engines.first.queue.put("pool", createTestJob(), "k", createSuiteDeadline());
      await using first = new TestTaker(engines.second.queue, "pool");
      await using second = new TestTaker(engines.third.queue, "pool");
      const ticket = await first.next();
      const other = second.next();
      for (const end = performance.now() + 2.5 * ticket.lease; performance.now() < end;) {
        await sleep(ticket.lease / 5);
        await ticket.extend();
      }
      await ticket.done("kept");
      expect(await outcome).toBe("kept");
      putAndLeave(engines.first.queue, "pool", createTestJob(), "next");
      expect((await other).key).toBe("next");
    });

    test("a job that has ended is not yielded again", async () => {
      await using engines = await openShared(open, reopen);
      const outcome = engines.first.queue.put("pool", createTestJob(), "k", createSuiteDeadline());
      await using taker = new TestTaker(engines.second.queue, "pool");
      const ticket = await taker.next();
      await ticket.done("first");
      await expect(ticket.done("second")).rejects.toMatchObject(conflict);
      await expect(ticket.extend()).rejects.toMatchObject(conflict);
      await ticket[Symbol.asyncDispose]();
      expect(await outcome).toBe("first");
      await sleep(1.5 * ticket.lease); // a lease that did not end with the job would expire by then
      putAndLeave(engines.first.queue, "pool", createTestJob(), "next");
      expect((await taker.next()).key).toBe("next");
    });

    test("a taker gets a job only when it asks, and may ask before the one before has ended", async () => {
      await using engines = await openShared(open, reopen);
      for (let n = 1; n <= 4; n++) putAndLeave(engines.first.queue, "pool", createTestJob(), `${n}`);
      await using first = new TestTaker(engines.second.queue, "pool");
      await using second = new TestTaker(engines.third.queue, "pool");
      const keys = [await first.next(), await second.next(), await second.next(), await first.next()];
      expect(keys.map(({ key }) => key)).toEqual(["1", "2", "3", "4"]);
    });

    test.for(["before it asks", "while it waits"] as const)(
      "the iteration of a taker returns when the signal aborts %s, and takes no job",
      async (moment) => {
        await using engines = await openShared(open, reopen);
        const controller = new AbortController();
        if (moment === "before it asks") controller.abort();
        const iteration = engines.second.queue.take("pool", controller.signal)[Symbol.asyncIterator]();
        const ended = iteration.next();
        if (moment === "while it waits") setTimeout(() => controller.abort(), 20);
        expect(await ended).toMatchObject({ done: true });
        expectNoListeners(controller.signal);
        putAndLeave(engines.first.queue, "pool", createTestJob(), "k");
        await using taker = new TestTaker(engines.third.queue, "pool");
        expect(await taker.next()).toMatchObject({ key: "k", attempt: 1 });
      },
    );

    test("a ticket outlives the iteration that yielded it", async () => {
      await using engines = await openShared(open, reopen);
      const outcome = engines.first.queue.put("pool", createTestJob(), "k", createSuiteDeadline());
      const taker = new TestTaker(engines.second.queue, "pool");
      const ticket = await taker.next();
      await taker[Symbol.asyncDispose]();
      await ticket.extend();
      await ticket.done("after the end");
      expect(await outcome).toBe("after the end");
    });

    test("no job has two takers at once, and each ends once, while takers return and stop", async () => {
      await using engines = await openShared(open, reopen);
      const count = 300;
      const [holders, ended] = [new Map<string, number>(), new Map<string, number>()];
      const stop = new AbortController();
      const signal = AbortSignal.any([stop.signal, createSuiteDeadline()]);
      const work = async (ticket: Ticket, name: number): Promise<void> => {
        expect(holders.has(ticket.key)).toBe(false);
        holders.set(ticket.key, name);
        await new Promise(setImmediate);
        // Released before the ticket is: from then on another taker may have the job.
        holders.delete(ticket.key);
        if (ticket.attempt === 1 && Number(ticket.key) % 5 === 0) return await ticket[Symbol.asyncDispose]();
        ended.set(ticket.key, (ended.get(ticket.key) ?? 0) + 1);
        await ticket.done(`outcome ${ticket.key}`);
      };
      const runTaker = async (name: number): Promise<void> => {
        const { queue } = engines[name % 2 === 0 ? "second" : "third"];
        while (!signal.aborted) {
          let left = 10; // then the taker leaves, and another one begins
          for await (const ticket of queue.take("pool", signal)) {
            await work(ticket, name);
            if (--left === 0) break;
          }
        }
      };
      const takers = Array.from({ length: 8 }, (_, name) => runTaker(name));
      const puts = Array.from({ length: count }, (_, n) =>
        engines[n % 2 === 0 ? "first" : "second"].queue.put("pool", createTestJob(n), `${n}`, createSuiteDeadline()),
      );
      expect(await Promise.all(puts)).toEqual(Array.from({ length: count }, (_, n) => `outcome ${n}`));
      stop.abort();
      await Promise.all(takers);
      expect([...ended.values()].filter((times) => times !== 1)).toEqual([]);
      expect(ended.size).toBe(count);
    });

    if (reopen === undefined) return;
    test("a job whose taker's engine is gone goes to another taker", async () => {
      await using engines = await openShared(open, reopen);
      const outcome = engines.first.queue.put("pool", createTestJob(), "k", createSuiteDeadline());
      const gone = new TestTaker(engines.second.queue, "pool");
      await gone.next();
      await engines.second[Symbol.asyncDispose]();
      await using taker = new TestTaker(engines.third.queue, "pool");
      const ticket = await taker.next();
      expect(ticket.attempt).toBe(2);
      await ticket.done("done by another");
      expect(await outcome).toBe("done by another");
    });
  });
}

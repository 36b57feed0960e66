import { describe, expect, test } from "vitest";
import { createSuiteDeadline, expectNoListeners, openShared, type OpenPart, type ReopenPart } from "./opened-engine.ts";
import { createTestJob, putAndLeave, TestTaker } from "./test-taker.ts";

export function testJobs(open: OpenPart<"queue">, reopen: ReopenPart<"queue"> | undefined): void {
  describe("jobs", () => {
    test.for(["before", "after"] as const)("a job that is put %s a taker asks returns its outcome", async (order) => {
      await using engines = await openShared(open, reopen);
      const { first: gateway, second: host } = engines;
      await using taker = new TestTaker(host.queue, "pool");
      const params = { text: "ü😀\u0000", list: [1, null, { deep: true }] };
      const put = (): Promise<unknown> => gateway.queue.put("pool", createTestJob(params), "k", createSuiteDeadline());
      const outcomeBefore = order === "before" ? put() : undefined;
      const next = taker.next();
      const outcome = outcomeBefore ?? put();
      const ticket = await next;
      expect(ticket).toMatchObject({ key: "k", attempt: 1, job: { kind: "test", params } });
      expect(ticket.lease).toBeGreaterThan(0);
      await ticket.done({ started: ["ü", null] });
      expect(await outcome).toEqual({ started: ["ü", null] });
    });

    test.for([null, 0, "", false, [], { a: { b: [1] } }])("keeps the outcome %j", async (outcome) => {
      await using engines = await openShared(open, reopen);
      await using taker = new TestTaker(engines.second.queue, "pool");
      const put = engines.first.queue.put("pool", createTestJob(), "k", createSuiteDeadline());
      await (await taker.next()).done(outcome);
      expect(await put).toEqual(outcome);
      for (const { queue } of [engines.first, engines.third]) {
        expect(await queue.put("pool", createTestJob(), "k", createSuiteDeadline())).toEqual(outcome);
      }
    });

    test("a key that is put many times at once is one job", async () => {
      await using engines = await openShared(open, reopen);
      for (let round = 0; round < 10; round++) {
        const puts = Array.from({ length: 12 }, (_, n) =>
          engines[n % 2 === 0 ? "first" : "third"].queue.put(
            `pool ${round}`,
            createTestJob(n),
            `key ${round}`,
            createSuiteDeadline(),
          ),
        );
        await using taker = new TestTaker(engines.second.queue, `pool ${round}`);
        const ticket = await taker.next();
        await ticket.done(`outcome ${round}`);
        expect(new Set(await Promise.all(puts))).toEqual(new Set([`outcome ${round}`]));
        // A second job of the key would come before this one.
        putAndLeave(engines.first.queue, `pool ${round}`, createTestJob("next"), `next ${round}`);
        expect((await taker.next()).key).toBe(`next ${round}`);
      }
    });

    test("a key identifies the first job in all pools", async () => {
      await using engines = await openShared(open, reopen);
      const first = engines.first.queue.put("a", createTestJob("first"), "k", createSuiteDeadline());
      await using taker = new TestTaker(engines.second.queue, "a");
      const ticket = await taker.next();
      const second = engines.first.queue.put("b", createTestJob("second"), "k", createSuiteDeadline());
      await ticket.done(ticket.job.params);
      expect(await Promise.all([first, second])).toEqual(["first", "first"]);
      putAndLeave(engines.first.queue, "b", createTestJob("other"), "other");
      await using otherTaker = new TestTaker(engines.second.queue, "b");
      expect((await otherTaker.next()).key).toBe("other");
    });

    test("yields the oldest job first", async () => {
      await using engines = await openShared(open, reopen);
      const keys = Array.from({ length: 30 }, (_, n) => `key ${n}`);
      for (const key of keys) putAndLeave(engines.first.queue, "pool", createTestJob(), key);
      await using taker = new TestTaker(engines.second.queue, "pool");
      const taken: string[] = [];
      while (taken.length < keys.length) {
        const ticket = await taker.next();
        taken.push(ticket.key);
        if (taken.length % 2 === 0) await ticket.done(null);
      }
      expect(taken).toEqual(keys);
    });

    test("throws the signal's reason when it aborts, and keeps the job", async () => {
      await using engines = await openShared(open, reopen);
      const { first: gateway, second: host, third: otherGateway } = engines;
      const controller = new AbortController();
      const reason = new Error("the client left");
      await using taker = new TestTaker(host.queue, "pool");
      const left = gateway.queue.put("pool", createTestJob(), "k", controller.signal);
      const ticket = await taker.next();
      controller.abort(reason);
      await expect(left).rejects.toBe(reason);
      const waiting = otherGateway.queue.put("pool", createTestJob(), "k", createSuiteDeadline());
      await ticket.done("outcome");
      expect(await waiting).toBe("outcome");
      expectNoListeners(controller.signal);
    });

    test("does not put a job whose signal has aborted", async () => {
      await using engines = await openShared(open, reopen);
      const { queue } = engines.first;
      const reason = new Error("the client left");
      await expect(queue.put("pool", createTestJob(), "aborted", AbortSignal.abort(reason))).rejects.toBe(reason);
      putAndLeave(queue, "pool", createTestJob(), "next");
      await using taker = new TestTaker(engines.second.queue, "pool");
      expect((await taker.next()).key).toBe("next");
    });

    test("keeps pools and keys with similar and odd names apart", async () => {
      await using engines = await openShared(open, reopen);
      const names = [
        "a",
        "A",
        "a.b",
        "a.*",
        "a.>",
        "*",
        ">",
        "a b",
        "a/b",
        "../a",
        "ü",
        "u\u0308",
        "",
        "x".repeat(200),
      ];
      const signal = createSuiteDeadline();
      const puts = names.map((name) => engines.first.queue.put(name, createTestJob(name), `key ${name}`, signal));
      for (const name of names) {
        await using taker = new TestTaker(engines.second.queue, name);
        const ticket = await taker.next();
        expect([ticket.job.params, ticket.key]).toEqual([name, `key ${name}`]);
        await ticket.done(name);
      }
      expect(await Promise.all(puts)).toEqual(names);
    });

    test("leaves nothing on a signal that outlives the calls", async () => {
      await using engines = await openShared(open, reopen);
      const { signal } = new AbortController();
      for (let n = 0; n < 10; n++) {
        const put = engines.first.queue.put("pool", createTestJob(), `key ${n}`, signal);
        for await (const ticket of engines.second.queue.take("pool", signal)) {
          await ticket.done(n);
          break;
        }
        expect(await put).toBe(n);
      }
      expectNoListeners(signal);
    });

    test("rejects all calls when the engine is closed, also those under way", async () => {
      await using engines = await openShared(open, reopen);
      const { queue } = engines.first;
      await using taker = new TestTaker(queue, "other");
      putAndLeave(queue, "other", createTestJob(), "held");
      const ticket = await taker.next();
      const closed = { code: "unavailable" };
      const put = queue.put("pool", createTestJob(), "k", createSuiteDeadline()).catch((error: unknown) => error);
      const next = taker.next().catch((error: unknown) => error);
      await engines.first[Symbol.asyncDispose]();
      expect(await put).toMatchObject(closed);
      expect(await next).toMatchObject(closed);
      await expect(queue.put("pool", createTestJob(), "k", createSuiteDeadline())).rejects.toMatchObject(closed);
      await expect(Array.fromAsync(queue.take("pool", createSuiteDeadline()))).rejects.toMatchObject(closed);
      await expect(ticket.done(null)).rejects.toMatchObject(closed);
    });

    if (reopen === undefined) return;
    test("keeps jobs and outcomes when all engines are closed", async () => {
      const before = await open();
      const ended = before.queue.put("pool", createTestJob(), "ended", createSuiteDeadline());
      await using taker = new TestTaker(before.queue, "pool");
      await (await taker.next()).done("outcome");
      await ended;
      putAndLeave(before.queue, "pool", createTestJob("stays"), "open");
      // The job is stored when a taker has it.
      await (await taker.next())[Symbol.asyncDispose]();
      await before[Symbol.asyncDispose]();
      await using after = await reopen(before);
      expect(await after.queue.put("pool", createTestJob(), "ended", createSuiteDeadline())).toBe("outcome");
      const waiting = after.queue.put("pool", createTestJob("ignored"), "open", createSuiteDeadline());
      await using laterTaker = new TestTaker(after.queue, "pool");
      const ticket = await laterTaker.next();
      expect(ticket.job.params).toBe("stays");
      await ticket.done("later");
      expect(await waiting).toBe("later");
    });
  });
}

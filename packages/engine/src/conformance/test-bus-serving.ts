import { FairleadError } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { echo, pingCall } from "./test-bus-calls.ts";
import { createSuiteDeadline, openShared, type OpenPart, type ReopenPart } from "./opened-engine.ts";

export function testBusServing(open: OpenPart<"bus">, reopen: ReopenPart<"bus"> | undefined): void {
  describe("serving", () => {
    test("ends with the replies to all calls that have begun, and begins no other", async () => {
      await using engines = await openShared(open, reopen);
      const { first: host, second: gateway } = engines;
      const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const server = await host.bus.serve("s", 1, async ({ method }) => {
        if (method === "ping") return "pong";
        begun.resolve();
        await released.promise;
        return "reply";
      });
      const reply = gateway.bus.call("s", { method: "wait", params: null }, createSuiteDeadline());
      await begun.promise;
      let hasEnded = false;
      const ending = server[Symbol.asyncDispose]().then(() => (hasEnded = true));
      // A call may still reach the host while the news of the end is on its way.
      let refusal: unknown = "pong";
      for (const deadline = createSuiteDeadline(); refusal === "pong" && !deadline.aborted;) {
        refusal = await gateway.bus.call("s", pingCall, deadline).catch((error: unknown) => error);
        await new Promise(setImmediate);
      }
      expect(refusal).toMatchObject({ code: "unavailable" });
      expect(hasEnded).toBe(false);
      released.resolve();
      expect(await reply).toBe("reply");
      await ending;
    });

    test("waits for the last call also if its caller has left", async () => {
      await using engines = await openShared(open, reopen);
      const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const server = await engines.first.bus.serve("s", 1, async () => {
        begun.resolve();
        await released.promise;
      });
      const controller = new AbortController();
      const outcome = engines.second.bus.call("s", pingCall, controller.signal).catch(() => "left");
      await begun.promise;
      controller.abort();
      expect(await outcome).toBe("left");
      let hasEnded = false;
      const ending = server[Symbol.asyncDispose]().then(() => (hasEnded = true));
      await expect(engines.second.bus.call("other", pingCall, createSuiteDeadline())).rejects.toThrow();
      expect(hasEnded).toBe(false);
      released.resolve();
      await ending;
    });

    test("gives new calls to the highest epoch only, also if an older one is served later", async () => {
      await using engines = await openShared(open, reopen);
      const { first: host, second: otherHost, third: gateway } = engines;
      const callSession = async (): Promise<unknown> => await gateway.bus.call("s", pingCall, createSuiteDeadline());
      await using _old = await host.bus.serve("s", 1, async () => "epoch 1");
      expect(await callSession()).toBe("epoch 1");
      await using _new = await otherHost.bus.serve("s", 12, async () => "epoch 12");
      for (let n = 0; n < 20; n++) expect(await callSession()).toBe("epoch 12");
      await using _late = await host.bus.serve("s", 9, async () => "epoch 9");
      for (let n = 0; n < 20; n++) expect(await callSession()).toBe("epoch 12");
      for (const caller of [host, otherHost]) {
        expect(await caller.bus.call("s", pingCall, createSuiteDeadline())).toBe("epoch 12");
      }
    });

    test("keeps the service of a higher epoch when an older one ends", async () => {
      await using engines = await openShared(open, reopen);
      const old = await engines.first.bus.serve("s", 1, async () => "old");
      await using _new = await engines.second.bus.serve("s", 2, async () => "new");
      await old[Symbol.asyncDispose]();
      expect(await engines.third.bus.call("s", pingCall, createSuiteDeadline())).toBe("new");
    });

    test("a call that has begun is answered by its host after a higher epoch is served", async () => {
      await using engines = await openShared(open, reopen);
      const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await using _old = await engines.first.bus.serve("s", 1, async () => {
        begun.resolve();
        await released.promise;
        return "old";
      });
      const reply = engines.third.bus.call("s", pingCall, createSuiteDeadline());
      await begun.promise;
      await using _new = await engines.second.bus.serve("s", 2, async () => "new");
      expect(await engines.third.bus.call("s", pingCall, createSuiteDeadline())).toBe("new");
      released.resolve();
      expect(await reply).toBe("old");
    });

    test("a session can be served again after its service has ended", async () => {
      await using engines = await openShared(open, reopen);
      for (let epoch = 1; epoch <= 5; epoch++) {
        const server = await engines[epoch % 2 === 0 ? "first" : "second"].bus.serve("s", epoch, async () => epoch);
        expect(await engines.third.bus.call("s", pingCall, createSuiteDeadline())).toBe(epoch);
        await server[Symbol.asyncDispose]();
      }
      await using _same = await engines.first.bus.serve("s", 5, async () => "again");
      expect(await engines.third.bus.call("s", pingCall, createSuiteDeadline())).toBe("again");
    });

    test("each call during 30 changes of the host gets a reply or `unavailable`", async () => {
      await using engines = await openShared(open, reopen);
      const codes = new Set<unknown>();
      const stop = new AbortController();
      const callRepeatedly = async (): Promise<number> => {
        let count = 0;
        for (; !stop.signal.aborted; count++) {
          await engines.third.bus.call("s", pingCall, createSuiteDeadline()).catch((error: unknown) => {
            codes.add(FairleadError.isInstance(error) ? error.code : error);
          });
          await new Promise(setImmediate);
        }
        return count;
      };
      const callers = [1, 2, 3].map(() => callRepeatedly());
      let server: AsyncDisposable | undefined;
      for (let epoch = 1; epoch <= 30; epoch++) {
        const next = await engines[epoch % 2 === 0 ? "first" : "second"].bus.serve("s", epoch, echo);
        await server?.[Symbol.asyncDispose]();
        server = next;
        await engines.third.bus.call("s", pingCall, createSuiteDeadline());
      }
      stop.abort();
      expect(Math.min(...(await Promise.all(callers)))).toBeGreaterThan(0);
      expect([...codes].filter((code) => code !== "unavailable")).toEqual([]);
      await server?.[Symbol.asyncDispose]();
    });
  });
}

import { setTimeout as sleep } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import type { BusCall } from "../bus.ts";
import { createSuiteDeadline, expectNoListeners, openShared, type OpenPart, type ReopenPart } from "./opened-engine.ts";

export const echo = async ({ method, params }: BusCall): Promise<unknown> => ({ method, params });
export const pingCall: BusCall = { method: "ping", params: null };

export function testBusCalls(open: OpenPart<"bus">, reopen: ReopenPart<"bus"> | undefined): void {
  describe("calls", () => {
    test("returns the host's reply to every gateway, for every value", async () => {
      await using engines = await openShared(open, reopen);
      await using _server = await engines.first.bus.serve("s", 1, async ({ params }) => params);
      const large = "ü".repeat(2 * 1024 ** 2);
      const values = [undefined, null, 0, -1.5, "", false, [], {}, { a: [{ b: "ü\u0000\n😀" }, null] }, [large]];
      for (const gateway of [engines.second.bus, engines.third.bus]) {
        for (const params of values) {
          expect(await gateway.call("s", { method: "m", params }, createSuiteDeadline())).toEqual(params);
        }
      }
    });

    test("throws `unavailable` at once if no host serves the session", async () => {
      await using engines = await openShared(open, reopen);
      const server = await engines.first.bus.serve("s", 1, echo);
      await engines.second.bus.call("s", pingCall, createSuiteDeadline());
      await server[Symbol.asyncDispose]();
      for (const session of ["s", "never served"]) {
        const start = performance.now();
        const outcome = engines.second.bus.call(session, pingCall, createSuiteDeadline());
        await expect(outcome).rejects.toMatchObject({ code: "unavailable" });
        expect(performance.now() - start).toBeLessThan(1000);
      }
    });

    test("passes the code and message of a FairleadError, and no text of another error", async () => {
      await using engines = await openShared(open, reopen);
      const errors: Record<string, unknown> = {
        typed: new FairleadError("session-paused", "Session ü is paused. Continue with: fairlead resume ü"),
        unexpected: new Error("secret"),
        text: "secret",
      };
      await using _server = await engines.first.bus.serve("s", 1, ({ method }) => {
        throw errors[method];
      });
      const callAndCatch = async (method: string): Promise<unknown> =>
        await engines.second.bus.call("s", { method, params: null }, createSuiteDeadline()).catch((error) => error);
      const typed = await callAndCatch("typed");
      expect(FairleadError.is(typed, "session-paused")).toBe(true);
      expect((typed as Error).message).toBe("Session ü is paused. Continue with: fairlead resume ü");
      for (const method of ["unexpected", "text"]) {
        const error = await callAndCatch(method);
        expect(FairleadError.is(error, "indeterminate")).toBe(true);
        expect((error as Error).message).not.toContain("secret");
      }
    });

    test("does not make a call whose signal has aborted", async () => {
      await using engines = await openShared(open, reopen);
      const methods: string[] = [];
      await using _server = await engines.first.bus.serve("s", 1, async ({ method }) => methods.push(method));
      const reason = new Error("the client left");
      const { bus } = engines.second;
      await expect(bus.call("s", { method: "aborted", params: 1 }, AbortSignal.abort(reason))).rejects.toBe(reason);
      await bus.call("s", { method: "later", params: 1 }, createSuiteDeadline());
      expect(methods).toEqual(["later"]);
    });

    test("throws the signal's reason when it aborts during a call, which continues at the host", async () => {
      await using engines = await openShared(open, reopen);
      const [begun, released, finished] = [1, 2, 3].map(() => Promise.withResolvers<void>());
      await using _server = await engines.first.bus.serve("s", 1, async ({ method }) => {
        if (method === "ping") return "pong";
        begun?.resolve();
        await released?.promise;
        finished?.resolve();
        return "too late";
      });
      const controller = new AbortController();
      const outcome = engines.second.bus.call("s", { method: "wait", params: null }, controller.signal);
      await begun?.promise;
      const reason = new Error("the client left");
      controller.abort(reason);
      await expect(outcome).rejects.toBe(reason);
      released?.resolve();
      await finished?.promise;
      expect(await engines.second.bus.call("s", pingCall, createSuiteDeadline())).toBe("pong");
    });

    test("a call that waits does not delay another", async () => {
      await using engines = await openShared(open, reopen);
      const released = Promise.withResolvers<string>();
      await using _server = await engines.first.bus.serve("s", 1, async ({ method }) =>
        method === "wait" ? await released.promise : released.resolve("released"),
      );
      const waiting = engines.second.bus.call("s", { method: "wait", params: null }, createSuiteDeadline());
      await engines.second.bus.call("s", { method: "release", params: null }, createSuiteDeadline());
      expect(await waiting).toBe("released");
    });

    test("gives each of 1,000 concurrent calls its own reply", async () => {
      await using engines = await openShared(open, reopen);
      const sessions = Array.from({ length: 20 }, (_, n) => `session ${n}`);
      await using servers = new AsyncDisposableStack();
      for (const session of sessions) {
        const answer = async ({ params }: BusCall): Promise<unknown> => {
          await sleep(Math.random() * 50);
          return { session, params };
        };
        servers.use(await engines.first.bus.serve(session, 1, answer));
      }
      const signal = createSuiteDeadline();
      const calls = Array.from({ length: 1000 }, (_, n) => ({ session: `session ${n % 20}`, params: n }));
      const replies = calls.map(({ session, params }) =>
        engines[params % 2 === 0 ? "second" : "third"].bus.call(session, { method: "m", params }, signal),
      );
      expect(await Promise.all(replies)).toEqual(calls);
    });

    test("leaves nothing on a signal that outlives the calls", async () => {
      await using engines = await openShared(open, reopen);
      await using _server = await engines.first.bus.serve("s", 1, echo);
      const { signal } = new AbortController();
      for (let n = 0; n < 20; n++) {
        await engines.second.bus.call("s", pingCall, signal);
        await expect(engines.second.bus.call("nobody", pingCall, signal)).rejects.toMatchObject({
          code: "unavailable",
        });
      }
      expectNoListeners(signal);
    });

    test("keeps sessions with similar and odd names apart", async () => {
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
      await using servers = new AsyncDisposableStack();
      for (const name of names) servers.use(await engines.first.bus.serve(name, 1, async () => name));
      for (const name of names) {
        expect(await engines.second.bus.call(name, pingCall, createSuiteDeadline())).toBe(name);
      }
      await expect(engines.second.bus.call("a.c", pingCall, createSuiteDeadline())).rejects.toMatchObject({
        code: "unavailable",
      });
    });

    test.for(["caller", "host"] as const)(
      "throws `indeterminate` if the %s's engine is closed first",
      async (closed) => {
        await using engines = await openShared(open, reopen);
        const { first, second } = engines;
        const begun = Promise.withResolvers<void>();
        await first.bus.serve("s", 1, () => {
          begun.resolve();
          return new Promise(() => {});
        });
        const outcome = second.bus.call("s", pingCall, createSuiteDeadline()).catch((error: unknown) => error);
        await begun.promise;
        await (closed === "host" ? first : second)[Symbol.asyncDispose]();
        expect(await outcome).toMatchObject({ code: "indeterminate" });
      },
    );

    test("rejects calls and services on a closed engine", async () => {
      const engine = await open();
      await engine.bus.serve("s", 1, echo);
      await engine[Symbol.asyncDispose]();
      const closed = { code: "unavailable" };
      await expect(engine.bus.call("s", pingCall, createSuiteDeadline())).rejects.toMatchObject(closed);
      await expect(engine.bus.serve("s", 2, echo)).rejects.toMatchObject(closed);
    });
  });
}

import type { Fairlead } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { expect, it, vi } from "vitest";
import { stopSessions } from "./stop-sessions.ts";

it("stops all sessions that can be stopped, and names the others with the reason", async () => {
  const stopped: string[] = [];
  const stop = async (session: string): Promise<never> => {
    if (session === "refuses") throw new FairleadError("unavailable", "Its spool is gone.");
    if (session === "fenced") throw new FairleadError("fenced", "the batch has epoch 5, the log is at epoch 6");
    if (session === "hangs") return await new Promise<never>(() => {});
    stopped.push(session);
    return undefined as never;
  };
  const fairlead = { stop } as unknown as Pick<Fairlead, "stop">;
  expect(await stopSessions(fairlead, ["one", "refuses", "fenced", "hangs", "two"], () => {}, 50)).toEqual([
    { session: "refuses", problem: "Its spool is gone." },
    { session: "fenced", problem: "Another process has taken this session over." },
    { session: "hangs", problem: "It did not end within 0.05 s." },
  ]);
  expect(stopped).toEqual(["one", "two"]);
  expect(await stopSessions(fairlead, [], () => {})).toEqual([]);
});

it("says how many sessions it waits for", async () => {
  vi.useFakeTimers();
  using _clock = { [Symbol.dispose]: () => vi.useRealTimers() };
  const hanging = Promise.withResolvers<void>();
  const stop = (session: string): Promise<void> => (session === "hangs" ? hanging.promise : Promise.resolve());
  const warn = vi.fn();
  const result = stopSessions({ stop } as unknown as Pick<Fairlead, "stop">, ["one", "hangs", "two"], warn);
  await vi.advanceTimersByTimeAsync(1999);
  expect(warn).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(warn).toHaveBeenCalledWith("Stopping 3 sessions: 1 has not ended yet.");
  hanging.resolve();
  expect(await result).toEqual([]);
});

import type { EventReadOptions, Fairlead, SessionView } from "@fairlead/api";
import type { AgentEvent, Event } from "@fairlead/contract";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { interruptTurn } from "./interrupt.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const turnEnded = (turn: string, outcome: "completed" | "interrupted"): AgentEvent => ({
  type: "turn.ended",
  turn,
  outcome,
});

/** A session whose interrupt hits `turn`, and whose events after that are `bodies`, at intervals of four seconds. */
function fakeFairlead(turn: string, bodies: readonly AgentEvent[]): Fairlead {
  const fairlead: Pick<Fairlead, "session" | "interrupt" | "events"> = {
    session: async () => ({ session: "54tq", last: 7 }) as SessionView,
    interrupt: async () => ({ turn }),
    async *events(_, { after = 0, signal }: EventReadOptions = {}) {
      let sequence = after;
      for (const body of bodies) {
        await new Promise((resolve) => setTimeout(resolve, 4000));
        yield { sequence: (sequence += 1), body } as Event;
      }
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    },
  };
  return fairlead as Fairlead;
}

test("reports the turn that was interrupted, not one that ended before", async () => {
  const fairlead = fakeFairlead("second", [turnEnded("first", "completed"), turnEnded("second", "interrupted")]);
  const result = interruptTurn(fairlead, "fix", () => {});
  await vi.advanceTimersByTimeAsync(8000);
  expect(await result).toEqual({ session: "54tq", outcome: "interrupted" });
});

test("says after five seconds what else ends the turn, and does not stop waiting", async () => {
  const warnings: string[] = [];
  const fairlead = fakeFairlead("t", [turnEnded("other", "completed"), turnEnded("t", "interrupted")]);
  const result = interruptTurn(fairlead, "fix", (message) => warnings.push(message));
  await vi.advanceTimersByTimeAsync(4999);
  expect(warnings).toEqual([]);
  await vi.advanceTimersByTimeAsync(3001);
  expect((await result).outcome).toBe("interrupted");
  expect(warnings).toEqual([
    "The agent has not ended the turn yet. End its process with: fairlead pause 54tq, or the session with: fairlead stop 54tq",
  ]);
});

test("says nothing about a turn that ends soon", async () => {
  const warn = vi.fn<(message: string) => void>();
  const result = interruptTurn(fakeFairlead("t", [turnEnded("t", "interrupted")]), "fix", warn, 60_000);
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await result).outcome).toBe("interrupted");
  expect(warn).not.toHaveBeenCalled();
});

test("fails after the timeout", async () => {
  const result = interruptTurn(fakeFairlead("t", []), "fix", () => {}, 2000).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(2000);
  expect(await result).toMatchObject({
    code: "timed-out",
    message: expect.stringMatching(
      /^The agent has not ended the turn after 2(\.0)? s\. The interrupt stays in effect\. .*fairlead pause 54tq/,
    ),
  });
});

test("fails after the timeout if the session does not accept the interrupt", async () => {
  const fairlead = { ...fakeFairlead("t", []), interrupt: () => new Promise<never>(() => {}) } as unknown as Fairlead;
  const result = interruptTurn(fairlead, "fix", () => {}, 2000).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(2000);
  expect(await result).toMatchObject({
    code: "timed-out",
    message: expect.stringContaining("has not accepted the interrupt after 2") as string,
  });
});

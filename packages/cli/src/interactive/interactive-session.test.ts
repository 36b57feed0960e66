import { FairleadError, type ErrorCode, type Event } from "@fairlead/contract";
import { expect, test } from "vitest";
import { InteractiveSession, type InteractiveSessionOptions } from "./interactive-session.ts";

/** A session without a turn, whose pause is refused, and which is paused a moment later. */
function pausedMeanwhile(code: ErrorCode): InteractiveSession {
  const refused = Promise.withResolvers<void>();
  const session = {
    lastSequence: 0,
    turn: null,
    async *stream() {
      await refused.promise;
      yield { sequence: 1, body: { type: "session.paused" } } as Event;
    },
    async pause() {
      setImmediate(() => refused.resolve());
      throw new FairleadError(code, "The session is paused. Resume it first.");
    },
  };
  const messages = { next: async () => null };
  const options = { session, after: 0, messages, show: () => {}, onSend: () => {} };
  return new InteractiveSession(options as unknown as InteractiveSessionOptions);
}

test("a pause that another client asked for is no error", async () => {
  expect(await pausedMeanwhile("session-paused").run()).toEqual({ outcome: "paused", exitCode: 0 });
  await expect(pausedMeanwhile("unavailable").run()).rejects.toThrow("The session is paused.");
});

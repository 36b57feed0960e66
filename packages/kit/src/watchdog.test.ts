import { keyedMap } from "@fairlead/contract";
import { expect, test } from "vitest";
import { retriesWithin, watchdog, watchdogAlarm, type WatchdogState } from "./watchdog.ts";
import { TransitionWriter } from "./transition-writer.ts";
import { initialConversation } from "./conversation-state.ts";

const runningCall = { name: "run", input: {}, started: true };
const silentState: WatchdogState = {
  ...initialConversation,
  current: { turn: "1", text: "" },
  calls: keyedMap.from({ c: runningCall }),
  pendingDecisions: {},
  activeSinceAlarm: false,
  failure: null,
};

test("a running call postpones the deadline, unless the dialect defines another rule", () => {
  const busy = new TransitionWriter<WatchdogState>(silentState);
  expect(watchdog.checkExpired(busy, 3000)).toBe(false);
  expect(busy.transition.effects).toEqual([{ type: "alarm", name: watchdogAlarm, after: 3000 }]);
  const ignoresRun = (state: WatchdogState): boolean => keyedMap.values(state.calls).some(({ name }) => name !== "run");
  const expired = new TransitionWriter<WatchdogState>(silentState);
  expect(watchdog.checkExpired(expired, 3000, ignoresRun)).toBe(true);
  expect(expired.state.failure).toMatchObject({ category: "timed-out", isFinal: true });
  const active = new TransitionWriter<WatchdogState>({ ...silentState, activeSinceAlarm: true });
  expect(watchdog.checkExpired(active, 3000, ignoresRun)).toBe(false);
});

test.each([
  [0, 0],
  [499, 0],
  [500, 1],
  [1499, 1],
  [1500, 2],
  [3500, 3],
  [5499, 3],
  // From here on the pause is the longest one.
  [5500, 4],
  [7500, 5],
])("within %i ms, with pauses from 500 to 2000 ms, %i retries fit", (time, retries) => {
  expect(retriesWithin(time, { first: 500, longest: 2000 })).toBe(retries);
});

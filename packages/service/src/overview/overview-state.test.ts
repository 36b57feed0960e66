import type { DecisionView, SessionView } from "@fairlead/api";
import { expect, test } from "vitest";
import { ChangeLog, type OverviewChange } from "./change-log.ts";
import { OverviewState } from "./overview-state.ts";

/** Counts the changes that are looked at. */
class CountingLog extends ChangeLog {
  looks = 0;

  override *after(number: number): Generator<OverviewChange> {
    for (const change of super.after(number)) {
      this.looks += 1;
      yield change;
    }
  }
}

function openState(): { state: OverviewState; log: CountingLog } {
  let log: CountingLog | undefined;
  const state = new OverviewState("abcd", (isCurrent) => (log = new CountingLog(isCurrent)));
  state.isComplete = true;
  return { state, log: log! };
}

const view = (session: string, last = 1): SessionView =>
  ({ session, state: "paused", last, lastAt: "2026" }) as SessionView;
const decision = (id: string): DecisionView => ({ session: "s0", decision: id, digest: id }) as DecisionView;

test.each([1000, 100_000])("a frame looks at what it has and not at all of %i sessions", (count) => {
  const { state, log } = openState();
  for (let index = 0; index < count; index += 1) state.put(view(`s${index}`));
  let reader: Parameters<OverviewState["nextFrame"]>[0] = null;
  let frames = 0;
  for (; frames <= count / 500; frames += 1) {
    const next = state.nextFrame(reader, frames === 0);
    if (next === undefined) break;
    ({ reader } = next);
  }
  expect(frames).toBe(count / 500);
  // And one of the next frame, to see that there is one.
  expect(log.looks).toBeLessThanOrEqual(count + frames);

  log.looks = 0;
  state.put(view("s7", 2));
  state.putDecisions("s0", [decision("d1")]);
  state.remove("s9");
  const next = state.nextFrame(reader, false);
  expect(next?.frame).toMatchObject({
    sessions: [{ session: "s7" }],
    decisions: [{ decision: "d1" }],
    removed: ["s9"],
  });
  expect(log.looks).toBe(3);
});

test("changes that newer ones have replaced do not add up", () => {
  const { state, log } = openState();
  for (let index = 0; index < 100; index += 1) state.put(view(`s${index}`));
  for (let last = 2; last < 20_000; last += 1) {
    state.put(view(`s${last % 100}`, last));
    state.putDecisions("s0", last % 2 === 0 ? [decision(`d${last}`)] : []);
  }
  // 100 sessions, one decision and the closings that are remembered, and once more as many.
  expect(log.length).toBeLessThan(10_000);
  const whole = state.nextFrame(null, true);
  expect(whole?.frame.sessions.map(({ last }) => last).toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: 100 }, (_, index) => 19_900 + index),
  );
});

test("finding what is new needs a look at few of the changes before", () => {
  const log = new ChangeLog(() => true);
  let reads = 0;
  const add = (number: number): void =>
    log.add({
      removed: `s${number}`,
      get number() {
        reads += 1;
        return number;
      },
    });
  for (let number = 1; number <= 100_000; number += 1) add(number);
  reads = 0;
  const removed = [...log.after(99_997)].map((change) => "removed" in change && change.removed);
  expect(removed).toEqual(["s99998", "s99999", "s100000"]);
  expect(reads).toBeLessThanOrEqual(20);
  expect([...log.after(100_000)]).toEqual([]);
});

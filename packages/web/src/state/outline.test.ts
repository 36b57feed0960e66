import { expect, test } from "vitest";
import { factsOfTurn, isOutlineBehind, type OutlineTurn, turnAt } from "./outline.ts";
import { layOutStrip } from "./time-strip.ts";

const minute = 60_000;
const at = (minutes: number): string => new Date(minutes * minute).toISOString();
const turn = (number: number, from: number, to: number | null, more: Partial<OutlineTurn> = {}): OutlineTurn => ({
  number,
  first: number * 100,
  last: number * 100 + 99,
  startedAt: at(from),
  endedAt: to === null ? null : at(to),
  outcome: to === null ? null : "completed",
  title: "do",
  files: 0,
  failedCalls: 0,
  waitMs: 0,
  waitingSince: null,
  cost: null,
  ...more,
});

test("a turn says how long it took, what it changed, what failed, and that it waits", () => {
  const waits = turn(4, 0, null, { files: 1, cost: 0.5, failedCalls: 2, waitingSince: at(3) });
  expect(factsOfTurn(waits, 6 * minute).map(({ text, tone }) => `${tone} ${text}`)).toEqual([
    "quiet 6 min 0 s",
    "quiet 1 file",
    "quiet $0.5000",
    "fails 2 failed",
    "waits waits",
  ]);
});

test("the turn of a number is the last one that began before it", () => {
  const turns = [turn(1, 0, 1), turn(2, 1, 2)];
  expect([50, 100, 199, 200, 999].map((number) => turnAt(turns, number)?.number)).toEqual([undefined, 1, 1, 2, 2]);
});

test.each([
  ["lacks the newest turn", [turn(1, 0, 1)], "working", true],
  ["has a turn that has ended since", [turn(1, 0, 1), turn(2, 1, null)], "idle", true],
  ["has the turn that runs", [turn(1, 0, 1), turn(2, 1, null)], "working", false],
  ["has all turns", [turn(1, 0, 1), turn(2, 1, 2)], "idle", false],
] as const)("an outline that %s", (_, turns, state, isBehind) => {
  expect(isOutlineBehind(turns, { turns: 2, state })).toBe(isBehind);
});

test("the strip folds long pauses, and shows waits and failures", () => {
  const turns = [
    turn(1, 0, 2),
    turn(2, 4, 6, { failedCalls: 1 }),
    turn(3, 126, 130, { waitMs: minute }),
    turn(4, 130, null, { waitingSince: at(131) }),
  ];
  const parts = layOutStrip(turns, 133 * minute);
  expect(parts.map((part) => (part.type === "pause" ? part.label : `${part.type} ${part.turn}`))).toEqual([
    "work 1",
    "work 2",
    "failure 2",
    "2 h",
    "work 3",
    "wait 3",
    "work 4",
    "wait 4",
  ]);
  // A click on a wait that is open leads to the request, which is the newest event.
  expect(parts.at(-1)).toMatchObject({ first: 499, isOpen: true });
});

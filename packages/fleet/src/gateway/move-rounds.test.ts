import { expect, test } from "vitest";
import { MoveRounds, type BeginRoundOptions } from "./move-rounds.ts";

const minute = 60_000;
/** Not at the beginning of an hour, or of 64 minutes. */
const start = 29_371_831 * minute + 12_345;
const noHost = { isAsked: false, joinedAt: 0 };

/** A gateway that looks each minute for a session that all hosts refuse. Returns the minutes of its rounds. */
function refuse(rounds: MoveRounds, from: number, to: number, options: Partial<BeginRoundOptions> = {}): number[] {
  const begun: number[] = [];
  for (let now = from; now < to; now += minute) {
    const round = rounds.begin("s", 1, { ...noHost, ...options, now });
    if (round === null) continue;
    rounds.end(round, now);
    begun.push(Math.floor((now - start) / minute));
  }
  return begun;
}

test("the pause between two rounds of a session doubles up to about an hour", () => {
  const begun = refuse(new MoveRounds(minute), start, start + 8 * 24 * 60 * minute);
  const pauses = begun.slice(1).map((time, index) => time - (begun[index] ?? 0));
  // The first outcome may be days old, so that the second round does not wait.
  for (const [index, pause] of pauses.entries()) expect(pause).toBeLessThanOrEqual(Math.min(2 ** index, 64));
  expect(pauses.slice(10).every((pause) => pause === 64)).toBe(true);
  expect(begun.length).toBeLessThan(8 * 24);
});

test("gateways that begin at other times agree on most rounds", () => {
  const end = start + 3 * 24 * 60 * minute;
  const numbersFrom = (from: number): Set<number> => {
    const rounds = new MoveRounds(minute);
    const numbers = new Set<number>();
    for (let now = from; now < end; now += minute) {
      const round = rounds.begin("s", 1, { ...noHost, now });
      if (round === null) continue;
      rounds.end(round, now);
      numbers.add(round.number);
    }
    return numbers;
  };
  const [first, same, later] = [start, start + 31_000, start + 9.3 * 60 * minute].map(numbersFrom);
  expect(same?.difference(first ?? new Set()).size).toBeLessThanOrEqual(2);
  expect(later?.difference(first ?? new Set()).size).toBeLessThanOrEqual(7);
  expect(later?.intersection(first ?? new Set()).size).toBeGreaterThan(50);
});

test("a round comes early for a client that waits, and after a host has joined", () => {
  const rounds = new MoveRounds(minute);
  const later = start + 10 * 60 * minute;
  refuse(rounds, start, later);
  const asked = { isAsked: true, joinedAt: 0 };
  expect(refuse(rounds, later, later + 3 * minute, asked)).toHaveLength(3);
  // That changes nothing for those that no client waits for.
  expect(refuse(rounds, later + 3 * minute, later + 5 * 60 * minute).length).toBeLessThanOrEqual(5);
  const joined = later + 5 * 60 * minute;
  expect(refuse(rounds, joined + 1000, joined + 10 * minute, { joinedAt: joined }).length).toBeGreaterThanOrEqual(3);
  expect(
    refuse(rounds, joined + 10 * minute, joined + 10 * 60 * minute, { joinedAt: joined }).length,
  ).toBeLessThanOrEqual(12);
});

test("a session that another host had meanwhile begins again, and one that has ended gets no round", () => {
  const rounds = new MoveRounds(minute);
  refuse(rounds, start, start + 60 * minute);
  expect(rounds.begin("s", 2, { ...noHost, now: start })).toMatchObject({ epoch: 2, number: 0, count: 0 });
  const round = rounds.begin("s", 2, { ...noHost, now: start });
  if (round !== null) {
    rounds.end(round, start);
    round.number = Infinity;
  }
  expect(rounds.begin("s", 2, { isAsked: true, joinedAt: Infinity, now: start + 60 * minute })).toBeNull();
});

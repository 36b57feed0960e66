import { ManualClock } from "@fairlead/testing/keeper/manual-clock.ts";
import { expect, test } from "vitest";
import type { KeeperDeadlines } from "./keeper-deadlines.ts";
import { UnattendedRule } from "./unattended-rule.ts";

/** A rule whose agents are frozen after 12 s and ended after 18 s. */
class RuleBench {
  readonly clock = new ManualClock();
  readonly actions: string[] = [];
  size = 0;
  readonly #startedAt = this.clock.now();
  readonly rule: UnattendedRule;

  constructor(isLimited = true) {
    const note = (action: string) => () => void this.actions.push(`${action} ${this.#elapsed}`);
    const getSize = (): number => this.size;
    this.rule = new UnattendedRule({
      limits: isLimited ? { freezeMs: 12_000, endMs: 18_000 } : undefined,
      processes: {
        get size() {
          return getSize();
        },
        freeze: note("freeze"),
        thaw: note("thaw"),
      },
      clock: this.clock,
      onEnd: note("end"),
    });
  }

  get #elapsed(): number {
    return this.clock.now() - this.#startedAt;
  }

  launch(): void {
    this.size++;
    this.rule.processLaunched();
  }

  /** Attends with a confirmation some milliseconds ago. */
  attend(ageMs = 0, { freezeMs = 12_000, endMs = 18_000, onlyShortens = false } = {}): void {
    const confirmedAt = this.clock.monotonic() - BigInt(ageMs) * 1_000_000n;
    const after = (ms: number): bigint => confirmedAt + BigInt(ms) * 1_000_000n;
    const times = { confirmedAt, freezeAt: after(freezeMs), endAt: after(endMs) };
    this.rule.attend({ ...times, ...(onlyShortens && { onlyShortens }) } satisfies KeeperDeadlines);
  }
}

test("freezes and ends what nothing has attended since its launch", () => {
  const bench = new RuleBench();
  bench.clock.advance(60_000);
  expect(bench.actions).toEqual([]);
  bench.launch();
  bench.clock.advance(60_000);
  expect(bench.actions).toEqual(["freeze 72000", "end 78000"]);
});

test("does nothing while it is attended, and continues what was frozen", () => {
  const bench = new RuleBench();
  bench.launch();
  for (let round = 0; round < 30; round++) {
    bench.clock.advance(2000);
    bench.attend(5000);
  }
  expect(bench.actions).toEqual([]);
  bench.clock.advance(7000);
  expect(bench.actions).toEqual(["freeze 67000"]);
  bench.clock.advance(3000);
  bench.attend();
  expect(bench.actions).toEqual(["freeze 67000", "thaw 70000"]);
  bench.clock.advance(60_000);
  expect(bench.actions.slice(2)).toEqual(["freeze 82000", "end 88000"]);
});

test("deadlines that arrive late extend nothing", () => {
  const bench = new RuleBench();
  bench.launch();
  bench.clock.advance(13_000);
  // Confirmed at 1000, and late by 12 seconds: frozen since 13000, and to be ended at 19000.
  bench.attend(12_000);
  expect(bench.actions).toEqual(["freeze 12000"]);
  bench.clock.advance(7000);
  expect(bench.actions).toEqual(["freeze 12000", "end 19000"]);
  bench.attend();
  bench.clock.advance(60_000);
  expect(bench.actions).toHaveLength(2);
});

test("a host that is back early shortens what its earlier process announced, and a late announcement changes nothing", () => {
  const bench = new RuleBench();
  bench.launch();
  bench.attend(0, { freezeMs: 297_000, endMs: 300_000 });
  bench.clock.advance(30_000);
  expect(bench.actions).toEqual([]);
  bench.attend();
  // The announcement of the earlier process, from another socket.
  bench.attend(30_000, { freezeMs: 297_000, endMs: 300_000 });
  bench.clock.advance(60_000);
  expect(bench.actions).toEqual(["freeze 42000", "end 48000"]);
});

test("a client that does not have the session yet shortens what was announced, and extends nothing", () => {
  const [extended, shortened] = [new RuleBench(), new RuleBench()];
  for (const bench of [extended, shortened]) bench.launch();
  extended.attend();
  shortened.attend(0, { freezeMs: 297_000, endMs: 300_000 });
  for (const bench of [extended, shortened]) {
    bench.clock.advance(10_000);
    bench.attend(0, { onlyShortens: true });
    bench.clock.advance(60_000);
  }
  expect(extended.actions).toEqual(["freeze 12000", "end 18000"]);
  expect(shortened.actions).toEqual(["freeze 22000", "end 28000"]);
});

test("a client that has claimed the session extends what it has shortened before", () => {
  const bench = new RuleBench();
  bench.launch();
  bench.attend();
  bench.clock.advance(13_000);
  bench.attend(0, { onlyShortens: true });
  expect(bench.actions).toEqual(["freeze 12000"]);
  bench.attend();
  bench.clock.advance(10_000);
  expect(bench.actions).toEqual(["freeze 12000", "thaw 13000"]);
});

test("the first process starts its own time if nothing was announced, and others do not extend it", () => {
  const bench = new RuleBench();
  bench.launch();
  bench.size = 0;
  bench.clock.advance(100_000);
  expect(bench.actions).toEqual([]);
  bench.launch();
  bench.clock.advance(13_000);
  bench.launch();
  // The second one is frozen too.
  expect(bench.actions).toEqual(["freeze 112000", "freeze 113000"]);
  bench.clock.advance(5000);
  expect(bench.actions.at(-1)).toBe("end 118000");
});

test("a launch does not extend what was announced", () => {
  const bench = new RuleBench();
  bench.attend();
  bench.clock.advance(11_000);
  bench.launch();
  bench.clock.advance(60_000);
  expect(bench.actions).toEqual(["freeze 12000", "end 18000"]);
});

test("what is launched after the announced stop is frozen at once, and continues after the next announcement", () => {
  const bench = new RuleBench();
  bench.attend();
  bench.clock.advance(13_000);
  bench.launch();
  expect(bench.rule.isOver).toBe(false);
  expect(bench.rule.isFrozen).toBe(true);
  expect(new Set(bench.actions)).toEqual(new Set(["freeze 13000"]));
  bench.clock.advance(1000);
  bench.attend();
  expect(bench.actions.at(-1)).toBe("thaw 14000");
});

test("what is launched after the announced end is ended at once, unless an announcement came before", () => {
  const [late, attended] = [new RuleBench(), new RuleBench()];
  for (const bench of [late, attended]) {
    bench.attend();
    bench.clock.advance(18_000);
    expect(bench.rule.isOver).toBe(true);
  }
  late.launch();
  expect(late.actions).toEqual(["end 18000"]);
  attended.attend();
  expect(attended.rule.isOver).toBe(false);
  attended.launch();
  expect(attended.actions).toEqual([]);
  attended.clock.advance(60_000);
  expect(attended.actions).toEqual(["freeze 30000", "end 36000"]);
});

test("a check after the end, before any timer, ends at once, whatever arrives with it", () => {
  const bench = new RuleBench();
  bench.launch();
  // The clock of a process that was stopped: time passed, and no timer has run.
  const resumedAt = bench.clock.monotonic() + 20_000_000_000n;
  bench.clock.monotonic = () => resumedAt;
  bench.attend();
  expect(bench.actions).toEqual(["end 0"]);
});

test("without limits, nothing is frozen or ended", () => {
  const bench = new RuleBench(false);
  bench.launch();
  bench.attend();
  bench.clock.advance(600_000);
  expect(bench.actions).toEqual([]);
});

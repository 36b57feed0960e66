import { expect, onTestFinished, test, vi } from "vitest";
import { Attendance } from "./attendance.ts";

const seconds = (count: number): bigint => BigInt(Math.round(count * 1e9));

/** A host with times of its confirmations in seconds. */
class AttendanceBench {
  announcedAt: bigint | null = null;
  appendedAt = 0n;
  expiry = 20_000;
  readonly absences: number[] = [];
  sent = 0;
  freezes = 0;
  readonly #times: { readonly freezeAfter: number; readonly endAfter: number };

  constructor(freezeAfter = 12_000, endAfter = 18_000) {
    this.#times = { freezeAfter, endAfter };
  }

  open(): Attendance {
    return new Attendance({
      ...this.#times,
      appendedAt: () => this.appendedAt,
      onFreeze: () => void (this.freezes += 1),
      membership: () =>
        this.announcedAt === null
          ? null
          : {
              expiry: this.expiry,
              confirmedAt: () => this.announcedAt ?? 0n,
              absent: async (milliseconds) => {
                if (this.expiry === 0) throw new Error("out of reach");
                this.absences.push(milliseconds);
                this.announcedAt = seconds(500);
              },
            },
    });
  }
}

test("agents end by the newest announcement, and appends delay only their stop", () => {
  const bench = new AttendanceBench();
  using attendance = bench.open();
  expect(attendance.limits).toEqual({ freezeMs: 12_000, endMs: 18_000 });
  expect(attendance.deadlines()).toBeNull();
  bench.announcedAt = seconds(100);
  const deadlines = (confirmedAt: number, freezeAt: number, endAt: number): object => ({
    confirmedAt: seconds(confirmedAt),
    freezeAt: seconds(freezeAt),
    endAt: seconds(endAt),
  });
  expect(attendance.deadlines()).toEqual(deadlines(100, 112, 118));
  bench.appendedAt = seconds(103);
  expect(attendance.deadlines()).toEqual(deadlines(103, 115, 118));
  // Appends that succeed while no announcement does: the host expires, and its agents must have ended by then.
  bench.appendedAt = seconds(117);
  expect(attendance.deadlines()).toEqual(deadlines(117, 118, 118));
  bench.announcedAt = seconds(120);
  expect(attendance.deadlines()).toEqual(deadlines(120, 132, 138));
});

test("an absence is announced for longer than agents continue", async () => {
  const bench = new AttendanceBench();
  using attendance = bench.open();
  await expect(attendance.announceAbsence(300_000)).rejects.toMatchObject({ code: "unavailable" });
  bench.announcedAt = seconds(100);
  attendance.start(() => void (bench.sent += 1));
  expect(bench.sent).toBe(1);
  await attendance.announceAbsence(300_000);
  expect(bench.sent).toBe(2);
  expect(bench.absences).toEqual([305_000]);
  const absent = { confirmedAt: seconds(500), freezeAt: seconds(797), endAt: seconds(800) };
  expect(attendance.deadlines()).toEqual(absent);
  // Appends of sessions that are being released change nothing.
  bench.appendedAt = seconds(501);
  expect(attendance.deadlines()).toEqual(absent);
});

test("agents end as those of a dead host if the absence cannot be announced", async () => {
  const bench = new AttendanceBench();
  using attendance = bench.open();
  bench.announcedAt = seconds(100);
  attendance.start(() => {});
  bench.expiry = 0;
  await expect(attendance.announceAbsence(300_000)).rejects.toThrow("out of reach");
  expect(attendance.deadlines()).toMatchObject({ endAt: seconds(118) });
});

test.each([
  [12_000, 20_000, 20_000],
  [18_000, 18_000, 20_000],
  [0, 18_000, 20_000],
])("refuses to freeze after %i ms and end after %i ms if the host expires after %i ms", (freeze, end, expiry) => {
  const bench = new AttendanceBench(freeze, end);
  bench.expiry = expiry;
  bench.announcedAt = seconds(1);
  using attendance = bench.open();
  expect(() => attendance.start(() => {})).toThrow(expect.objectContaining({ code: "invalid-settings" }));
});

test("each stop of the agents is counted once, also one that ended between two looks", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "hrtime"] });
  onTestFinished(() => void vi.useRealTimers());
  const bench = new AttendanceBench();
  using attendance = bench.open();
  const confirm = (): void => void (bench.announcedAt = process.hrtime.bigint());
  confirm();
  attendance.start(() => {});
  for (let round = 0; round < 10; round += 1) {
    vi.advanceTimersByTime(3000);
    confirm();
  }
  expect(bench.freezes).toBe(0);
  vi.advanceTimersByTime(17_000);
  expect(bench.freezes).toBe(1);
  confirm();
  vi.advanceTimersByTime(10_000);
  expect(bench.freezes).toBe(1);
  // The keepers act at 12 s, and the confirmation arrives before the host looks again.
  vi.advanceTimersByTime(2500);
  confirm();
  vi.advanceTimersByTime(4000);
  expect(bench.freezes).toBe(2);
});

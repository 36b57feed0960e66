import type { Fairlead } from "@fairlead/api";
import type { Event } from "@fairlead/contract";
import { lawfulSession } from "@fairlead/testing/web/lawful-session.ts";
import fc, { type Scheduler } from "fast-check";
import { expect, test } from "vitest";
import { eventPageSize } from "../state/timeline/event-window.ts";
import { findRow } from "../state/timeline/find-row.ts";
import { rowAt } from "../state/timeline/row-list.ts";
import { LiveSession } from "./live-session.ts";

/** A service whose answers arrive in the order that the scheduler chooses. */
function slowService(events: readonly Event[], scheduler: Scheduler): Fairlead {
  const service: Pick<Fairlead, "session" | "events"> = {
    session: () => scheduler.schedule(Promise.resolve({ last: events.length })) as ReturnType<Fairlead["session"]>,
    async *events(_session, { after = 0, limit = Infinity, follow, signal } = {}) {
      if (follow === true) {
        if (signal?.aborted === false) await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return;
      }
      await scheduler.schedule(Promise.resolve());
      yield* events.slice(after, after + limit);
    },
  };
  return service as Fairlead;
}

async function untilLoaded(live: LiveSession): Promise<void> {
  await new Promise<void>((resolve) => {
    live.subscribe(() => {
      if (!live.getSnapshot().isLoading) resolve();
    });
  });
}

/** A session of many pages, so that few of them are held. */
const longSession = lawfulSession({ maxLength: 60 }).chain((events) =>
  fc.integer({ min: 1, max: 16 }).map((pages) => {
    const count = pages * eventPageSize;
    return Array.from({ length: count }, (_, at): Event => ({ ...events[at % events.length]!, sequence: at + 1 }));
  }),
);

const act = fc.oneof(
  fc.record({ type: fc.constant("jump" as const), to: fc.nat() }),
  fc.record({ type: fc.constant("look" as const), to: fc.nat() }),
  fc.record({ type: fc.constant("answer" as const), to: fc.constant(0) }),
);

test("the last jump has its row, in whatever order pages arrive and wherever a person looks meanwhile", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      longSession,
      fc.array(act, { minLength: 1, maxLength: 20, size: "max" }),
      async (scheduler, events, acts) => {
        const leaving = new AbortController();
        const live = new LiveSession(slowService(events, scheduler), "s");
        void live.run(null, leaving.signal);
        await scheduler.waitFor(untilLoaded(live));
        const look = (to: number): void => {
          const { rows } = live.getSnapshot();
          const first = to % Math.max(1, rows.count);
          live.onScreen(rows, first, Math.min(rows.count - 1, first + 20));
        };
        let last: number | null = null;
        const jumps: Promise<void>[] = [];
        for (const { type, to } of acts) {
          if (type === "jump") {
            last = 1 + (to % events.length);
            jumps.push(live.jumpTo(last));
          } else if (type === "look") look(to);
          else if (scheduler.count() > 0) await scheduler.waitOne();
          const { jump, window, rows } = live.getSnapshot();
          if (jump === null || jump.to !== last) continue;
          // As the list does: it moves to the row, and reports it with the rows below.
          const index = findRow(window, last);
          expect(rowAt(rows, index)?.first ?? Infinity).toBeLessThanOrEqual(last);
          look(index);
        }
        await scheduler.waitFor(Promise.all(jumps));
        await scheduler.waitIdle();
        leaving.abort();
        if (last === null) return;
        const { jump, window, rows } = live.getSnapshot();
        expect(jump?.to).toBe(last);
        const row = rowAt(rows, findRow(window, last));
        expect(row?.first).toBeLessThanOrEqual(last);
        expect(rows.count).toBeGreaterThan(0);
      },
    ),
    { numRuns: 40 },
  );
});

/** A session that gains events, and the numbers after which its stream was opened. */
class GrowingSession {
  last: number;
  readonly streams: number[] = [];

  constructor(last: number) {
    this.last = last;
  }

  connect(): Fairlead {
    const service: Pick<Fairlead, "session" | "events"> = {
      session: async () => ({ last: this.last }) as Awaited<ReturnType<Fairlead["session"]>>,
      events: (_session, options = {}) => this.#read(options),
    };
    return service as Fairlead;
  }

  async *#read({ after = 0, limit = Infinity, follow, signal }: NonNullable<Parameters<Fairlead["events"]>[1]>) {
    if (follow === true) {
      this.streams.push(after);
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
      return;
    }
    for (let sequence = after + 1; sequence <= Math.min(this.last, after + limit); sequence += 1)
      yield {
        sequence,
        occurredAt: "2026-11-15T12:00:00.000Z",
        body: { type: "text.ended", text: `${sequence}` },
      } as Event;
  }
}

async function openGrowing(last: number) {
  const session = new GrowingSession(last);
  const live = new LiveSession(session.connect(), "s");
  const leaving = new AbortController();
  void live.run(null, leaving.signal);
  await expect.poll(() => session.streams.length).toBe(1);
  return { session, live, end: () => leaving.abort() };
}

test("after an outage in which much happened, the newest page is read instead of all events", async () => {
  const { session, live, end } = await openGrowing(100);
  session.last = 50_000;
  await live.continueAfterOutage();
  await expect.poll(() => session.streams).toEqual([100, 50_000]);
  const { window, jump } = live.getSnapshot();
  expect([window.head, jump?.to]).toEqual([50_000, "end"]);
  expect(window.timeline.pages.at(-1)?.events.at(-1)?.sequence).toBe(50_000);
  end();
});

test("what a person reads above the end stays after such an outage", async () => {
  const { session, live, end } = await openGrowing(100);
  live.onScreen(live.getSnapshot().rows, 0, 20);
  session.last = 50_000;
  const before = live.getSnapshot();
  await live.continueAfterOutage();
  await expect.poll(() => session.streams).toEqual([100, 50_000]);
  const { window, jump } = live.getSnapshot();
  expect([window.head, jump]).toEqual([50_000, before.jump]);
  expect(window.timeline.pages[0]).toBe(before.window.timeline.pages[0]);
  end();
});

test("after a short outage the stream continues", async () => {
  const { session, live, end } = await openGrowing(100);
  session.last = 900;
  await live.continueAfterOutage();
  expect(session.streams).toEqual([100]);
  end();
});

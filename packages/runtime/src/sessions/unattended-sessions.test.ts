import { eventsUntil, readJournal, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { expect, test } from "vitest";
import type { KeeperAttendance } from "../host/keeper-attendance.ts";
import type { SessionFailure } from "./session-failures.ts";
import { Sessions } from "./sessions.ts";

/** A host whose servers confirm when the test says so. */
class TestAttendance implements KeeperAttendance {
  readonly limits = { freezeMs: 60_000, endMs: 60_000 };
  #deadlines = this.#after(60_000);

  /** Confirms now. Agents end after some milliseconds. */
  confirm(endMs: number): void {
    this.#deadlines = this.#after(endMs);
  }

  deadlines(): ReturnType<KeeperAttendance["deadlines"]> {
    return this.#deadlines;
  }

  #after(milliseconds: number): NonNullable<ReturnType<KeeperAttendance["deadlines"]>> {
    const confirmedAt = process.hrtime.bigint();
    const endAt = confirmedAt + BigInt(milliseconds) * 1_000_000n;
    return { confirmedAt, freezeAt: endAt, endAt };
  }
}

test("a host resumes a session whose agent was ended for lack of an announcement only after the next one", async () => {
  await using testHome = new TestHome();
  const attendance = new TestAttendance();
  const runtime = await testHome.open({ attendance });
  const failures: SessionFailure[] = [];
  await using sessions = new Sessions(runtime, { onFailure: (failure) => void failures.push(failure) });
  const session = await sessions.adopt(runtime.start({ agent: "scripted", workspace: testHome.folder }));
  const { id } = session;
  await eventsUntil(session, "session.started");
  attendance.confirm(200);
  runtime.attendKeepers();
  await session.finished;
  // Appends are acknowledged, so that the host knows at once that its agent was ended.
  expect((await readJournal(runtime, id)).at(-1)?.body).toEqual({ type: "session.paused", reason: "moved" });
  await expect.poll(() => sessions.failureOf(id)?.error).toMatchObject({ code: "unavailable" });
  await expect(sessions.withSession(id, (one) => one.resume())).rejects.toMatchObject({ code: "unavailable" });
  await expect(runtime.arrive(id)).rejects.toMatchObject({ code: "unavailable" });
  // The host tries again without a caller.
  await expect.poll(() => failures.length, { timeout: 10_000 }).toBeGreaterThan(2);
  expect(runtime.hasNoKeeper(id)).toBe(true);
  expect((await readJournal(runtime, id)).filter(({ body }) => body.type === "session.paused")).toHaveLength(1);

  attendance.confirm(60_000);
  await expect.poll(() => sessions.getIfDriven(id)?.agentPid ?? null, { timeout: 20_000 }).not.toBeNull();
  expect(sessions.failureOf(id)).toBeUndefined();
}, 60_000);

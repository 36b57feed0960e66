import { FairleadError } from "@fairlead/contract";
import { KeeperGone, SpoolDamaged, SpoolReader } from "@fairlead/keeper";
import { withScript } from "@fairlead/kit";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ManualClock } from "@fairlead/testing/keeper/manual-clock.ts";
import { eventsUntil, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { isTransientFailure } from "./is-transient-failure.ts";
import { SessionFailures, type SessionFailure } from "./session-failures.ts";
import { Sessions } from "./sessions.ts";

afterEach(() => vi.restoreAllMocks());

const withCode = (code: string): Error => Object.assign(new Error(`${code}: failed`), { code });
const hello = withScript("Say.", [{ text: "Hello." }]);

test.each<readonly [unknown, boolean]>([
  ...["EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EBUSY", "ENOSPC", "EDQUOT"].map(
    (code) => [withCode(code), true] as const,
  ),
  [new FairleadError("unavailable", "The journal is locked."), true],
  [new KeeperGone(), true],
  [new KeeperGone("The spool is damaged.", { isFinal: true }), false],
  [new FairleadError("corrupt", "Damaged.", { cause: withCode("EIO") }), false],
  [new SpoolDamaged("1.spool", 0, "it is gone"), false],
  [withCode("ENOENT"), false],
  [new TypeError("A defect."), false],
  ["text", false],
])("%s is transient: %s", (error, isTransient) => {
  expect(isTransientFailure(error)).toBe(isTransient);
});

describe("the failures of sessions", () => {
  test("are retried with a growing delay, up to a minute, until they are cleared", () => {
    const clock = new ManualClock();
    const retried: string[] = [];
    using failures = new SessionFailures(clock, (session) => retried.push(session));
    const delays = Array.from({ length: 10 }, () => failures.add("s", withCode("EMFILE")).retryIn);
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    clock.advance(59_999);
    expect(retried).toEqual([]);
    clock.advance(1);
    expect(retried).toEqual(["s"]); // one timer, although there were ten failures

    failures.add("s", withCode("EMFILE"));
    expect(failures.clear("s")).toBe(true);
    expect(failures.clear("s")).toBe(false);
    clock.advance(120_000);
    expect(retried).toEqual(["s"]);
  });

  test("that are damage are kept and not retried", () => {
    const clock = new ManualClock();
    const retried: string[] = [];
    using failures = new SessionFailures(clock, (session) => retried.push(session));
    const error = new SpoolDamaged("1.spool", 0, "it is gone");
    expect(failures.add("s", error)).toMatchObject({ session: "s", error, retryIn: null });
    clock.advance(1e9);
    expect(retried).toEqual([]);
    expect(failures.get("s")?.error).toBe(error);
  });
});

/** Makes the next reads of a spool fail. */
function failReads(error: Error, count: number): void {
  const read = vi.spyOn(SpoolReader.prototype, "read");
  for (let n = 0; n < count; n += 1) {
    read.mockImplementationOnce(() => {
      throw error;
    });
  }
}

test("a session whose actor fails for want of descriptors is driven again without a command, and loses nothing", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const failures: SessionFailure[] = [];
  const recovered: string[] = [];
  await using sessions = new Sessions(runtime, {
    onFailure: (failure) => failures.push(failure),
    onRecovered: (session) => recovered.push(session),
  });
  const { id } = await sessions.adopt(runtime.start({ agent: "scripted", workspace: testHome.folder }));
  const session = await sessions.get(id);
  failReads(withCode("EMFILE"), 3); // the actor, and two attempts to attach
  await session.send(hello).catch(() => {}); // the note is recorded, but its actor has failed
  await session.finished;
  await vi.waitUntil(() => recovered.length > 0, 20_000);
  expect(recovered).toEqual([id]);
  expect(failures.map(({ retryIn }) => retryIn)).toEqual([500, 1000, 2000]);
  expect(sessions.failureOf(id)).toBeUndefined();
  const events = await eventsUntil(sessions.getIfDriven(id)!, "turn.ended");
  expect(events.filter(({ body }) => body.type === "turn.started")).toHaveLength(1);
  expect(events.at(-1)?.body).toMatchObject({ outcome: "completed" });
});

test("a session whose actor fails because of damage is reported once, and attached again only by a command", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const failures: SessionFailure[] = [];
  await using sessions = new Sessions(runtime, { onFailure: (failure) => failures.push(failure) });
  const { id } = await sessions.adopt(runtime.start({ agent: "scripted", workspace: testHome.folder }));
  const session = await sessions.get(id);
  failReads(new SpoolDamaged("1.spool", 0, "a test"), 1);
  await session.send(hello).catch(() => {});
  await session.finished;
  await vi.waitUntil(() => sessions.failureOf(id) !== undefined, 10_000);
  expect(failures).toMatchObject([{ session: id, retryIn: null }]);
  expect(sessions.getIfDriven(id)).toBeUndefined();
  await sessions.get(id);
  expect(sessions.failureOf(id)).toBeUndefined();
});

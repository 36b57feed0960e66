import { describe, expect, test } from "vitest";
import type { HostChange, Hosts } from "../hosts.ts";
import { createSuiteDeadline, expectNoListeners, openShared, type OpenPart, type ReopenPart } from "./opened-engine.ts";

export function testHosts(open: OpenPart<"hosts">, reopen: ReopenPart<"hosts"> | undefined): void {
  const openFleet = async (): Promise<Fleet> => {
    const shared = await openShared(open, reopen);
    const dispose = (): PromiseLike<void> => shared[Symbol.asyncDispose]();
    return { one: shared.first.hosts, other: shared.second.hosts, [Symbol.asyncDispose]: dispose };
  };

  describe("joining and leaving", () => {
    test("a host counts as alive from when it joins until it leaves", async () => {
      await using fleet = await openFleet();
      const membership = await fleet.one.join({ name: "a" });
      for (const hosts of [fleet.one, fleet.other]) expect(await hosts.isAlive(membership.owner)).toBe(true);
      await membership[Symbol.asyncDispose]();
      for (const hosts of [fleet.one, fleet.other]) expect(await hosts.isAlive(membership.owner)).toBe(false);
    });

    test("a host that joins again is another owner, and the earlier one stays dead", async () => {
      await using fleet = await openFleet();
      const first = await fleet.one.join({ name: "a" });
      await first[Symbol.asyncDispose]();
      await using second = await fleet.one.join({ name: "a" });
      expect(second.owner).not.toBe(first.owner);
      expect(await fleet.other.isAlive(first.owner)).toBe(false);
      expect(await fleet.other.isAlive(second.owner)).toBe(true);
    });

    test("two members with the same name are different owners, and one may leave", async () => {
      await using fleet = await openFleet();
      const one = await fleet.one.join({ name: "a" });
      await using two = await fleet.one.join({ name: "a" });
      await one[Symbol.asyncDispose]();
      expect(await fleet.one.isAlive(two.owner)).toBe(true);
    });

    test.for(["", "{", "{}", '{"host":"elsewhere"', "someone"])(
      "an owner that never joined is dead: %s",
      async (owner) => {
        await using fleet = await openFleet();
        expect(await fleet.one.isAlive(owner)).toBe(false);
      },
    );

    test("leaving twice does nothing", async () => {
      await using fleet = await openFleet();
      const membership = await fleet.one.join({ name: "a" });
      await membership[Symbol.asyncDispose]();
      await membership[Symbol.asyncDispose]();
    });

    test("a watch yields the hosts that have joined, then each that joins and leaves", async () => {
      await using fleet = await openFleet();
      await using early = await fleet.one.join({ name: "early" });
      const deadline = createSuiteDeadline();
      const changes = fleet.other.watch(deadline)[Symbol.asyncIterator]();
      const next = async (): Promise<HostChange> => (await changes.next()).value as HostChange;
      expect(await next()).toEqual({ owner: early.owner, host: { name: "early" } });
      const late = await fleet.one.join({ name: "late" });
      expect(await next()).toEqual({ owner: late.owner, host: { name: "late" } });
      await late[Symbol.asyncDispose]();
      expect(await next()).toEqual({ owner: late.owner, host: null });
      await changes.return?.();
      expectNoListeners(deadline);
    });

    test.for(["before it starts", "while it waits"] as const)(
      "a watch returns when the signal aborts %s",
      async (moment) => {
        await using fleet = await openFleet();
        const controller = new AbortController();
        if (moment === "before it starts") controller.abort();
        const rest = Array.fromAsync(fleet.one.watch(controller.signal));
        await using _member = await fleet.one.join({ name: "a" });
        setImmediate(() => controller.abort());
        expect((await rest).length).toBeLessThanOrEqual(1);
      },
    );
  });

  describe("announcing", () => {
    test("the time of the newest announcement lies between the join and now, and moves on", async () => {
      await using fleet = await openFleet();
      const before = process.hrtime.bigint();
      await using membership = await fleet.one.join({ name: "a" });
      expect(membership.expiry).toBeGreaterThan(0);
      const joinedAt = membership.confirmedAt();
      expect(joinedAt).toBeGreaterThanOrEqual(before);
      expect(joinedAt).toBeLessThanOrEqual(process.hrtime.bigint());
      await expect.poll(() => membership.confirmedAt() > joinedAt, { timeout: 20_000 }).toBe(true);
    });

    test("an absent host counts as alive after it has left, until it is back", async () => {
      await using fleet = await openFleet();
      const deadline = createSuiteDeadline();
      await using other = await fleet.one.join({ name: "b" });
      const first = await fleet.one.join({ name: "a" });
      const before = process.hrtime.bigint();
      await first.absent(60_000);
      expect(first.confirmedAt()).toBeGreaterThanOrEqual(before);
      await first[Symbol.asyncDispose]();
      for (const hosts of [fleet.one, fleet.other]) expect(await hosts.isAlive(first.owner)).toBe(true);
      const changes = fleet.one.watch(deadline)[Symbol.asyncIterator]();
      const seen = [(await changes.next()).value as HostChange, (await changes.next()).value as HostChange];
      expect(seen).toContainEqual({ owner: first.owner, host: { name: "a", absent: true } });
      await using second = await fleet.one.join({ name: "a" });
      // Its sessions still have the owner before.
      expect(await fleet.one.isAlive(first.owner)).toBe(true);
      await second.endAbsences();
      for (const hosts of [fleet.one, fleet.other]) {
        const alive = await Promise.all([first, second, other].map(({ owner }) => hosts.isAlive(owner)));
        expect(alive).toEqual([false, true, true]);
      }
      await changes.return?.();
    });

    test("a host says whether it drains, until it no longer does, and is alive meanwhile", async () => {
      await using fleet = await openFleet();
      const deadline = createSuiteDeadline();
      await using member = await fleet.one.join({ name: "a", pool: "p" });
      const { owner } = member;
      const changes = fleet.other.watch(deadline)[Symbol.asyncIterator]();
      const next = async (): Promise<HostChange> => (await changes.next()).value as HostChange;
      const idle = { owner, host: { name: "a", pool: "p" } };
      const draining = { owner, host: { ...idle.host, draining: true } };
      expect(await next()).toEqual(idle);
      await member.setDraining(true);
      expect(await next()).toEqual(draining);
      expect(await fleet.other.isAlive(owner)).toBe(true);
      await member.setDraining(false);
      expect(await next()).toEqual(idle);
      await Promise.all([member.setDraining(false), member.setDraining(true)]);
      const announcedAt = member.confirmedAt();
      await expect.poll(() => member.confirmedAt() > announcedAt, { timeout: 20_000 }).toBe(true);
      const later = fleet.other.watch(deadline)[Symbol.asyncIterator]();
      expect((await later.next()).value).toEqual(draining);
      await member.absent(60_000);
      expect((await later.next()).value).toEqual({ owner, host: { ...draining.host, absent: true } });
      await member.setDraining(false);
      expect(await fleet.other.isAlive(owner)).toBe(true);
      for (const watch of [changes, later]) await watch.return?.();
    });

    test("an absence ends", async () => {
      await using fleet = await openFleet();
      const first = await fleet.one.join({ name: "a" });
      await first.absent(1000);
      await first[Symbol.asyncDispose]();
      expect(await fleet.one.isAlive(first.owner)).toBe(true);
      await expect.poll(() => fleet.one.isAlive(first.owner), { timeout: 10_000 }).toBe(false);
      expect(first.lost.aborted).toBe(false);
    });

    test("absences do not end those that are here, and ending none does nothing", async () => {
      await using fleet = await openFleet();
      await using first = await fleet.one.join({ name: "a" });
      await using second = await fleet.one.join({ name: "a" });
      await second.endAbsences();
      expect(await fleet.one.isAlive(first.owner)).toBe(true);
    });
  });
}

/** Two views of one fleet, as two processes have them. */
interface Fleet extends AsyncDisposable {
  readonly one: Hosts;
  readonly other: Hosts;
}

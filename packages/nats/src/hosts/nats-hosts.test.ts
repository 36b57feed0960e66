import type { HostChange, Hosts } from "@fairlead/engine";
import { hostsConformance } from "@fairlead/engine/conformance";
import { interceptRequests, refusal, type RequestInterceptor } from "@fairlead/testing/nats/intercept-requests.ts";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { TimeoutError, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHostsBucket } from "./create-hosts-bucket.ts";
import { hostOfOwner } from "./host-owner.ts";
import { NatsHosts, type NatsHostsOptions } from "./nats-hosts.ts";

let bench: NatsLogBench;
beforeAll(async () => {
  bench = await NatsLogBench.start(1);
});
afterAll(() => bench[Symbol.asyncDispose]());

let namespaces = 0;
/** The milliseconds after which the hosts of a namespace expire. */
const expiries = new Map<string, number>();
async function createNamespace(expiry = 20_000, on = bench): Promise<string> {
  const namespace = `hosts-${namespaces++}`;
  expiries.set(namespace, expiry);
  await using connection = await on.connect();
  await createHostsBucket(connection, { namespace, replicas: 1 });
  return namespace;
}

interface OpenedHosts extends AsyncDisposable {
  readonly hosts: Hosts;
  readonly connection: NatsConnection;
  readonly namespace: string;
}

type OpenOptions = Partial<NatsHostsOptions> & { readonly on?: NatsLogBench; readonly intercept?: RequestInterceptor };

async function openHosts(
  namespace: string,
  { on = bench, intercept, ...rest }: OpenOptions = {},
): Promise<OpenedHosts> {
  const connection = await on.connect();
  const used = intercept === undefined ? connection : interceptRequests(connection, intercept);
  const expiry = expiries.get(namespace) ?? 20_000;
  const hosts = await NatsHosts.open({ connection: used, namespace, hostId: "host-1", expiry, ...rest });
  return { hosts, connection, namespace, [Symbol.asyncDispose]: () => connection.close() };
}

hostsConformance(
  "NATS",
  async () => await openHosts(await createNamespace()),
  async (engine) => await openHosts((engine as OpenedHosts).namespace),
);

/** The changes that a watch has yielded so far. Disposing ends it. */
class RecordedWatch implements AsyncDisposable {
  readonly changes: HostChange[] = [];
  readonly #controller = new AbortController();
  readonly #end: Promise<void>;

  constructor(hosts: Hosts) {
    this.#end = this.#read(hosts);
  }

  async #read(hosts: Hosts): Promise<void> {
    for await (const change of hosts.watch(this.#controller.signal)) this.changes.push(change);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#controller.abort();
    await this.#end;
  }
}

const readRevision = async (connection: NatsConnection, namespace: string): Promise<number> => {
  const { state } = await (await jetstreamManager(connection)).streams.info(`KV_${namespace}_hosts`);
  return state.last_seq;
};
const waitFor = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  await expect.poll(condition, { interval: 10, timeout: 20_000 }).toBe(true);
};

test("an owner of another host is elsewhere, and one of this host is not", async () => {
  const namespace = await createNamespace();
  await using one = await openHosts(namespace);
  await using other = await openHosts(namespace, { hostId: "host-2" });
  await using membership = await one.hosts.join({ name: "a", pool: "p", capacity: 4, version: "1.0.0" });
  expect(hostOfOwner(membership.owner)).toBe("host-1");
  expect([one.hosts, other.hosts].map((hosts) => hosts.isElsewhere(membership.owner))).toEqual([false, true]);
  await using watch = new RecordedWatch(other.hosts);
  await waitFor(() => watch.changes.length === 1);
  expect(watch.changes[0]?.host).toEqual({ name: "a", pool: "p", capacity: 4, version: "1.0.0" });
});

test("says that the bucket is missing, and that heartbeats are too slow", async () => {
  const message = expect.stringContaining("fairlead fleet init") as string;
  await expect(openHosts("missing")).rejects.toMatchObject({ code: "invalid-settings", message });
  const slow = openHosts(await createNamespace(2000), { heartbeat: 1000 });
  await expect(slow).rejects.toMatchObject({ code: "invalid-settings" });
});

test("a host whose connection is closed expires, and watchers learn it", async () => {
  const namespace = await createNamespace(2000);
  await using watcher = await openHosts(namespace, { heartbeat: 200 });
  const dying = await openHosts(namespace, { heartbeat: 200 });
  await using living = await watcher.hosts.join({ name: "living" });
  const membership = await dying.hosts.join({ name: "dying" });
  await using watch = new RecordedWatch(watcher.hosts);
  await waitFor(() => watch.changes.length === 2);
  await dying.connection.close();
  const closedAt = performance.now();
  expect(await watcher.hosts.isAlive(membership.owner)).toBe(true);
  await waitFor(() => watch.changes.length > 2);
  expect(performance.now() - closedAt).toBeGreaterThan(1500);
  expect(watch.changes.slice(2)).toEqual([{ owner: membership.owner, host: null }]);
  expect(await watcher.hosts.isAlive(membership.owner)).toBe(false);
  expect(await watcher.hosts.isAlive(living.owner)).toBe(true);
  expect(membership.lost.aborted).toBe(true);
  expect(living.lost.aborted).toBe(false);
});

test("an absence is longer than a heartbeat, survives a restart of the server, and ends", async () => {
  await using own = await NatsLogBench.start(1);
  const namespace = await createNamespace(2000, own);
  await using opened = await openHosts(namespace, { on: own, heartbeat: 200 });
  await using other = await openHosts(namespace, { on: own, hostId: "host-2", heartbeat: 200 });
  const membership = await opened.hosts.join({ name: "a" });
  await using watch = new RecordedWatch(other.hosts);
  await waitFor(() => watch.changes.length === 1);
  const announcedAt = performance.now();
  await membership.absent(8000);
  await membership[Symbol.asyncDispose]();
  await own.cluster.kill(0);
  own.cluster.restart(0);
  await own.cluster.waitUntilReady();
  while (performance.now() - announcedAt < 6000) {
    expect(await other.hosts.isAlive(membership.owner)).toBe(true);
    await new Promise((resolve) => void setTimeout(resolve, 200));
  }
  await waitFor(() => watch.changes.length === 3);
  expect(performance.now() - announcedAt).toBeGreaterThan(7500);
  expect(watch.changes.slice(1)).toEqual([
    { owner: membership.owner, host: { name: "a", absent: true } },
    { owner: membership.owner, host: null },
  ]);
  expect(await other.hosts.isAlive(membership.owner)).toBe(false);
  expect(membership.lost.aborted).toBe(false);
});

test("a host ends its own absences only, and cannot be absent for longer than entries are kept", async () => {
  const namespace = await createNamespace();
  await using one = await openHosts(namespace);
  await using two = await openHosts(namespace, { hostId: "host-2" });
  const [first, other] = [await one.hosts.join({ name: "a" }), await two.hosts.join({ name: "b" })];
  await expect(first.absent(3_600_001)).rejects.toMatchObject({ code: "invalid-request" });
  await Promise.all([first.absent(60_000), other.absent(60_000)]);
  await using again = await one.hosts.join({ name: "a" });
  await again.endAbsences();
  const alive = await Promise.all([first, other, again].map(({ owner }) => one.hosts.isAlive(owner)));
  expect(alive).toEqual([false, true, true]);
});

test("an absence that cannot be stored throws, and the host expires", async () => {
  const namespace = await createNamespace(2000);
  await using opened = await openHosts(namespace, { heartbeat: 200, timeout: 300 });
  await using other = await openHosts(namespace, { heartbeat: 200 });
  const membership = await opened.hosts.join({ name: "a" });
  const confirmedAt = membership.confirmedAt();
  await opened.connection.close();
  await expect(membership.absent(60_000)).rejects.toMatchObject({ code: "unavailable" });
  expect(membership.confirmedAt()).toBeLessThan(confirmedAt + 1_000_000_000n);
  await waitFor(async () => !(await other.hosts.isAlive(membership.owner)));
});

test("the time of a heartbeat is that of the attempt which the servers stored", async () => {
  const namespace = await createNamespace();
  let failures = 0;
  let storedBefore = 0n;
  const intercept: RequestInterceptor = async (subject, send) => {
    if (subject.startsWith("$KV.") && failures++ < 3) {
      storedBefore = process.hrtime.bigint();
      throw new TimeoutError();
    }
    return await send();
  };
  await using opened = await openHosts(namespace, { intercept });
  await using membership = await opened.hosts.join({ name: "a" });
  expect(failures).toBeGreaterThan(3);
  expect(membership.confirmedAt()).toBeGreaterThan(storedBefore);
});

test("heartbeats and watches continue after a server was killed and started again", async () => {
  await using own = await NatsLogBench.start(1);
  const namespace = await createNamespace(10_000, own);
  await using opened = await openHosts(namespace, { on: own, heartbeat: 200, timeout: 300 });
  await using other = await openHosts(namespace, { on: own, heartbeat: 200 });
  await using membership = await opened.hosts.join({ name: "a" });
  await using watch = new RecordedWatch(other.hosts);
  await waitFor(() => watch.changes.length === 1);
  await own.cluster.kill(0);
  await expect(opened.hosts.isAlive(membership.owner)).rejects.toMatchObject({ code: "unavailable" });
  own.cluster.restart(0);
  await own.cluster.waitUntilReady();
  expect(await other.hosts.isAlive(membership.owner)).toBe(true);
  await using fresh = await own.connect();
  const revision = await readRevision(fresh, namespace);
  await waitFor(async () => (await readRevision(fresh, namespace)) > revision + 2);
  await using late = await other.hosts.join({ name: "late" });
  await waitFor(() => watch.changes.length > 1);
  expect(watch.changes.slice(1)).toEqual([{ owner: late.owner, host: { name: "late" } }]);
  expect(membership.lost.aborted).toBe(false);
});

test("a host that was cut off for longer than the expiry is lost, does not return, and watchers learn it", async () => {
  await using own = await NatsLogBench.start(1);
  const namespace = await createNamespace(1500, own);
  await using opened = await openHosts(namespace, { on: own, heartbeat: 200 });
  const membership = await opened.hosts.join({ name: "a" });
  await using watch = new RecordedWatch(opened.hosts);
  await waitFor(() => watch.changes.length === 1);
  await own.cluster.kill(0);
  await waitFor(() => membership.lost.aborted);
  expect(membership.lost.reason).toMatchObject({ code: "unavailable" });
  own.cluster.restart(0);
  await own.cluster.waitUntilReady();
  await waitFor(() => watch.changes.length === 2);
  expect(watch.changes[1]).toEqual({ owner: membership.owner, host: null });
  await using again = await opened.hosts.join({ name: "a" });
  expect(await opened.hosts.isAlive(membership.owner)).toBe(false);
  expect(again.owner).not.toBe(membership.owner);
});

test("a host whose entry has expired for the servers is lost at its next heartbeat, and stays dead", async () => {
  const namespace = await createNamespace();
  await using opened = await openHosts(namespace, { heartbeat: 100 });
  const membership = await opened.hosts.join({ name: "a" });
  const { instance } = JSON.parse(membership.owner) as { instance: string };
  await (await new Kvm(opened.connection).open(`${namespace}_hosts`)).purge(instance);
  await waitFor(() => membership.lost.aborted);
  expect(await opened.hosts.isAlive(membership.owner)).toBe(false);
  const revision = await readRevision(opened.connection, namespace);
  await membership[Symbol.asyncDispose]();
  expect(await opened.hosts.isAlive(membership.owner)).toBe(false);
  expect(await readRevision(opened.connection, namespace)).toBe(revision);
});

test.for(["refuses a valid join or heartbeat", "stores one whose answer is lost"] as const)(
  "a host joins and stays a member if the server %s",
  async (fault) => {
    const namespace = await createNamespace();
    let faults = 0;
    let beats = 0;
    const intercept: RequestInterceptor = async (subject, send) => {
      if (!subject.startsWith("$KV.") || ++beats % 2 === 0) return await send();
      faults++;
      if (fault === "refuses a valid join or heartbeat") return refusal(10164);
      await send();
      throw new TimeoutError();
    };
    await using opened = await openHosts(namespace, { heartbeat: 50, intercept });
    const membership = await opened.hosts.join({ name: "a" });
    await waitFor(() => faults > 3);
    expect(membership.lost.aborted).toBe(false);
    expect(await opened.hosts.isAlive(membership.owner)).toBe(true);
    await membership[Symbol.asyncDispose]();
    expect(await opened.hosts.isAlive(membership.owner)).toBe(false);
  },
);

test("a host stays a member if a heartbeat fails and turns out to be stored later", async () => {
  const namespace = await createNamespace();
  let failing = 0;
  // The heartbeat is stored, and then neither its answer nor the key can be read until the call gives up.
  const intercept: RequestInterceptor = async (subject, send) => {
    if (failing > 0 && subject.includes("MSG.GET")) throw new TimeoutError();
    const answer = await send();
    if (failing > 0 && subject.startsWith("$KV.")) {
      failing--;
      throw new TimeoutError();
    }
    return answer;
  };
  await using opened = await openHosts(namespace, { heartbeat: 50, timeout: 1, intercept });
  await using membership = await opened.hosts.join({ name: "a" });
  failing = 2;
  await waitFor(() => failing === 0);
  const revision = await readRevision(opened.connection, namespace);
  await waitFor(async () => (await readRevision(opened.connection, namespace)) > revision + 2);
  expect(membership.lost.aborted).toBe(false);
});

test("a heartbeat during the list after a reconnect does not look like a death", async () => {
  const namespace = await createNamespace();
  await using joined = await openHosts(namespace, { heartbeat: 3000 });
  await using membership = await joined.hosts.join({ name: "a" });
  const { instance } = JSON.parse(membership.owner) as { instance: string };
  const bucket = await new Kvm(joined.connection).open(`${namespace}_hosts`, { allow_direct: false });
  let overwritten = 0;
  let isArmed = false;
  // The entry moves to another sequence after the range that the copy will read is known.
  const intercept: RequestInterceptor = async (subject, send) => {
    const answer = await send();
    if (isArmed && subject.includes("STREAM.INFO")) {
      isArmed = false;
      const entry = await bucket.get(instance);
      await bucket.put(instance, entry!.value);
      overwritten++;
    }
    return answer;
  };
  await using watching = await openHosts(namespace, { intercept });
  await using watch = new RecordedWatch(watching.hosts);
  await waitFor(() => watch.changes.length === 1);
  isArmed = true;
  await watching.connection.reconnect();
  await waitFor(() => overwritten === 1);
  await using late = await joined.hosts.join({ name: "late" });
  await waitFor(() => watch.changes.at(-1)?.owner === late.owner);
  expect(watch.changes.map(({ host }) => host?.name)).toEqual(["a", "late"]);
});

test("a watch follows a bucket that was deleted and created again", async () => {
  const namespace = await createNamespace();
  await using opened = await openHosts(namespace);
  for (let index = 0; index < 5; index++) await opened.hosts.join({ name: "before" });
  await using watch = new RecordedWatch(opened.hosts);
  await waitFor(() => watch.changes.length === 5);
  await (await jetstreamManager(opened.connection)).streams.delete(`KV_${namespace}_hosts`);
  await createHostsBucket(opened.connection, { namespace, replicas: 1 });
  await waitFor(() => watch.changes.filter(({ host }) => host === null).length === 5);
  await using after = await opened.hosts.join({ name: "after" });
  await waitFor(() => watch.changes.length === 11);
  expect(watch.changes.at(-1)).toEqual({ owner: after.owner, host: { name: "after" } });
});

test("a watch throws when its connection is closed, and leaves nothing on the connection when it returns", async () => {
  const namespace = await createNamespace();
  const opened = await openHosts(namespace);
  const controller = new AbortController();
  const rest = Array.fromAsync(opened.hosts.watch(controller.signal));
  await opened.hosts.join({ name: "a" });
  await opened.connection.close();
  await expect(rest).rejects.toMatchObject({ code: "unavailable" });
  await expect(opened.hosts.join({ name: "a" })).rejects.toMatchObject({ code: "unavailable" });
  await expect(Array.fromAsync(opened.hosts.watch(controller.signal))).rejects.toMatchObject({ code: "unavailable" });
});

test("200 hosts join, are seen and leave", async () => {
  const namespace = await createNamespace(10_000);
  await using opened = await openHosts(namespace, { heartbeat: 500 });
  await using other = await openHosts(namespace);
  await using early = new RecordedWatch(other.hosts);
  const members = await Promise.all(Array.from({ length: 200 }, (_, n) => opened.hosts.join({ name: `h${n}` })));
  await waitFor(() => early.changes.length === 200);
  const startedAt = performance.now();
  await using late = new RecordedWatch(other.hosts);
  await waitFor(() => late.changes.length >= 200);
  console.log(`A watch lists 200 hosts in ${Math.round(performance.now() - startedAt)} ms.`);
  const alive = await Promise.all(members.map(({ owner }) => other.hosts.isAlive(owner)));
  expect(alive).toEqual(members.map(() => true));
  expect(new Set(late.changes.map(({ owner }) => owner))).toEqual(new Set(members.map(({ owner }) => owner)));
  await Promise.all(members.map((member) => member[Symbol.asyncDispose]()));
  await waitFor(() => late.changes.length === 400 && early.changes.length === 400);
  expect(members.every(({ lost }) => !lost.aborted)).toBe(true);
});

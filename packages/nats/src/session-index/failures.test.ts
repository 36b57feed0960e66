import { randomBytes } from "node:crypto";
import type { SessionIndex } from "@fairlead/journal";
import { interceptRequests, refusal, type RequestInterceptor } from "@fairlead/testing/nats/intercept-requests.ts";
import { indexRow, listIndex, waitForIndex } from "@fairlead/testing/nats/index-rows.ts";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createIndexBuckets } from "./index-buckets.ts";
import { openNatsIndex } from "./open-nats-index.ts";

let bench: NatsLogBench;
beforeAll(async () => {
  bench = await NatsLogBench.start(1);
});
afterAll(() => bench[Symbol.asyncDispose]());

let count = 0;
const createNamespace = async (): Promise<string> => {
  const namespace = `index-${count++}`;
  await createIndexBuckets(await bench.connect(), { namespace, replicas: 1 });
  return namespace;
};

interface OpenOptions {
  readonly connection?: NatsConnection;
  readonly contentVersion?: number;
}

async function open(namespace: string, options: OpenOptions = {}): Promise<SessionIndex> {
  const { connection = await bench.connect(), contentVersion = 1 } = options;
  return await openNatsIndex({ connection, namespace, contentVersion });
}

test("two processes put rows of one session in any order, and the latest wins", async () => {
  const namespace = await createNamespace();
  await using one = await open(namespace);
  await using other = await open(namespace);
  expect(await listIndex(other)).toEqual([]);
  const rows = Array.from({ length: 60 }, (_, n) => indexRow("s", { epoch: 1 + (n % 3), last: (n * 37) % 60 }));
  const results = await Promise.all(rows.map((each, n) => (n % 2 === 0 ? one : other).put(each)));
  expect(results).toContain(true);
  const newest = rows.filter(({ epoch }) => epoch === 3).reduce((a, b) => (a.last > b.last ? a : b));
  expect(await one.get("s")).toEqual(newest);
  await waitForIndex(other, [`s ${newest.last}`]);
  await waitForIndex(one, [`s ${newest.last}`]);
  expect(await other.put(indexRow("s", { epoch: 3, last: newest.last - 1 }))).toBe(false);
});

test("one of 24 claimants gets a name", async () => {
  const namespace = await createNamespace();
  const indexes = await Promise.all(Array.from({ length: 4 }, () => open(namespace)));
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, n) => indexes[n % 4]!.take(`n ${round}`, { session: `s${n}`, owner: "o" })),
    );
    expect(answers.filter(({ session }, n) => session === `s${n}`)).toHaveLength(1);
    expect(new Set(answers.map(({ session }) => session)).size).toBe(1);
  }
  for (const index of indexes) await index[Symbol.asyncDispose]();
});

test("a put of the owner takes one round trip, and rows that wait are written as one", async () => {
  const namespace = await createNamespace();
  const subjects: string[] = [];
  const observe: RequestInterceptor = async (subject, send) => {
    subjects.push(subject);
    return await send();
  };
  await using index = await open(namespace, { connection: interceptRequests(await bench.connect(), observe) });
  subjects.length = 0;
  await index.put(indexRow("s"));
  await index.put(indexRow("s", { last: 2 }));
  expect(subjects).toEqual([`$KV.${namespace}_sessions.s`, `$KV.${namespace}_sessions.s`]);
  subjects.length = 0;
  const rows = Array.from({ length: 50 }, (_, n) => indexRow("s", { last: 100 - (n % 10) + n }));
  const results = await Promise.all(rows.map((each) => index.put(each)));
  // As if they had been written one after the other.
  let last = 0;
  expect(results).toEqual(rows.map((each) => each.last >= last && ((last = each.last), true)));
  expect(subjects).toHaveLength(2);
});

test("a row is written although servers lose the answer, or refuse it although it is right", async () => {
  const namespace = await createNamespace();
  const faults: ("lost" | "late" | "refused")[] = [];
  const intercept: RequestInterceptor = async (subject, send) => {
    const fault = subject.startsWith("$KV") ? faults.shift() : undefined;
    if (fault === "refused") return refusal(10164);
    if (fault === "lost") await send();
    if (fault !== undefined) throw new Error("no answer");
    return await send();
  };
  await using index = await open(namespace, { connection: interceptRequests(await bench.connect(), intercept) });
  for (const [last, fault] of (["lost", "late", "refused"] as const).entries()) {
    faults.push(fault, fault);
    expect(await index.put(indexRow("s", { last })), fault).toBe(true);
    expect(await index.get("s")).toMatchObject({ last });
    faults.length = 0;
  }
  faults.push("lost");
  expect(await index.take("n", { session: "s", owner: "o" })).toEqual({ session: "s", owner: "o" });
  faults.push("late");
  await index.remove("s");
  expect(await index.get("s")).toBeUndefined();
});

test("an index of another version has no rows and no position, and no longer vouches for the first", async () => {
  const namespace = await createNamespace();
  await using first = await open(namespace);
  for (const session of ["a", "b"]) await first.put(indexRow(session));
  await first.writePosition("7");
  await using second = await open(namespace, { contentVersion: 2 });
  expect(await listIndex(second)).toEqual([]);
  expect(await second.get("a")).toBeUndefined();
  expect(await second.count({})).toEqual([]);
  expect(await second.readPosition()).toBeNull();
  expect(await first.readPosition()).toBe("7");
  // The row of the other version is older, and still replaced.
  expect(await second.put(indexRow("a", { last: 0 }))).toBe(true);
  expect(await listIndex(second)).toEqual(["a 0"]);
  await waitForIndex(first, ["b 1"]);
  // The first has checked its rows before one was replaced.
  await first.writePosition("8");
  expect(await first.readPosition()).toBeNull();
  await second.writePosition("9");
  expect(await second.readPosition()).toBe("9");
});

test("content of a removed row cannot be read", async () => {
  const namespace = await createNamespace();
  await using index = await open(namespace);
  for (let last = 1; last <= 5; last++) await index.put(indexRow("s", { last, name: "n", content: `secret ${last}` }));
  await index.take("n", { session: "s", owner: "o" });
  await index.remove("s");
  const manager = await jetstreamManager(await bench.connect());
  for (const bucket of ["sessions", "names"]) {
    const stream = `KV_${namespace}_${bucket}`;
    const { state } = await manager.streams.info(stream, { subjects_filter: ">" });
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await manager.streams.getMessage(stream, { seq }).catch(() => null);
      expect(message?.data.byteLength ?? 0, `${bucket} ${seq}`).toBe(0);
    }
  }
  expect(await index.put(indexRow("s", { epoch: 1, last: 0 }))).toBe(true);
});

test("a watch merges the changes of a row that its reader has not taken", async () => {
  const namespace = await createNamespace();
  await using index = await open(namespace);
  const deadline = AbortSignal.timeout(20_000);
  const watch = index.watch({}, deadline)[Symbol.asyncIterator]();
  const first = watch.next();
  await index.put(indexRow("a"));
  expect((await first).value).toMatchObject({ session: "a" });
  for (let last = 2; last <= 50; last++) for (const session of ["a", "b"]) await index.put(indexRow(session, { last }));
  expect((await watch.next()).value).toMatchObject({ session: "a", row: { last: 50 } });
  expect((await watch.next()).value).toMatchObject({ session: "b", row: { last: 50 } });
  const next = watch.next();
  await index.remove("b");
  expect((await next).value).toEqual({ session: "b", row: null });
});

test("names the command that creates missing buckets, and refuses those with other settings", async () => {
  const advice = expect.stringContaining("fairlead fleet init") as string;
  await expect(open("missing")).rejects.toMatchObject({ code: "invalid-settings", message: advice });
  const connection = await bench.connect();
  const manager = await jetstreamManager(connection);
  const subjects = ["$KV.other_sessions.>"];
  await manager.streams.add({ name: "KV_other_sessions", subjects, max_msgs_per_subject: 5, allow_rollup_hdrs: true });
  const difference = expect.stringContaining("max_msgs_per_subject 5 instead of 1") as string;
  const creation = createIndexBuckets(connection, { namespace: "other", replicas: 1 });
  await expect(creation).rejects.toMatchObject({ code: "conflict", message: difference });
});

test("a row that is larger than servers accept is refused at once", async () => {
  const namespace = await createNamespace();
  await using index = await open(namespace);
  const content = randomBytes(9 << 20).toString("base64");
  await expect(index.put(indexRow("s", { content }))).rejects.toMatchObject({ code: "too-large" });
  expect(await index.put(indexRow("s"))).toBe(true);
});

test("a large content is returned unchanged by all reads", async () => {
  const namespace = await createNamespace();
  await using index = await open(namespace);
  const content = JSON.stringify({ text: "fünf 𝄞 \u0000 ".repeat(5_000) });
  await index.put(indexRow("s", { content }));
  expect((await index.get("s"))?.content).toBe(content);
  await using other = await open(namespace);
  expect((await other.page({})).rows[0]?.content).toBe(content);
});

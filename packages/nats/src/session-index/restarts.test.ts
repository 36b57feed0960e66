import type { SessionIndex } from "@fairlead/journal";
import { indexRow, listIndex, waitForIndex } from "@fairlead/testing/nats/index-rows.ts";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createIndexBuckets } from "./index-buckets.ts";
import { openNatsIndex, type NatsIndexOptions } from "./open-nats-index.ts";

const namespace = "restarts";
let bench: NatsLogBench;
beforeEach(async () => {
  bench = await NatsLogBench.start(1);
  await createIndexBuckets(await bench.connect(), { namespace, replicas: 1 });
});
afterEach(() => bench[Symbol.asyncDispose]());

const open = async (options: Pick<NatsIndexOptions, "timeout" | "staleAfter"> = {}): Promise<SessionIndex> =>
  await openNatsIndex({ connection: await bench.connect(), namespace, contentVersion: 1, ...options });

test("while the server is gone, the copy answers and writes wait; afterwards everything is current", async () => {
  await using index = await open();
  await using other = await open();
  for (const session of ["a", "b"]) await index.put(indexRow(session));
  const changes: string[] = [];
  const watching = new AbortController();
  const watched = (async () => {
    for await (const change of other.watch({}, watching.signal)) {
      changes.push(`${change.session} ${change.row?.last ?? null}`);
    }
  })();
  await waitForIndex(other, ["a 1", "b 1"]);
  await bench.cluster.kill(0);
  expect(await listIndex(other)).toEqual(["a 1", "b 1"]);
  expect(await other.count({})).toEqual([{ agent: "agent", state: "idle", count: 2 }]);
  expect(await other.get("a")).toEqual(indexRow("a"));
  const writes = Promise.all([index.put(indexRow("a", { last: 2 })), index.put(indexRow("c")), index.remove("b")]);
  bench.cluster.restart(0);
  await bench.cluster.waitUntilReady();
  expect(await writes).toEqual([true, true, undefined]);
  await waitForIndex(other, ["a 2", "c 1"]);
  await index.put(indexRow("d"));
  await waitForIndex(other, ["a 2", "c 1", "d 1"]);
  watching.abort();
  await watched;
  expect(changes.slice(0, 2)).toEqual(["a 1", "b 1"]);
  expect(changes.slice(2).toSorted()).toEqual(["a 2", "b null", "c 1", "d 1"]);
}, 60_000);

test("rows that were removed while a process was paused disappear from its copy", async () => {
  await using index = await open();
  const connection = await bench.connect();
  await using other = await openNatsIndex({ connection, namespace, contentVersion: 1 });
  for (const session of ["a", "b"]) await index.put(indexRow(session));
  await waitForIndex(other, ["a 1", "b 1"]);
  const reconnected = (async () => {
    for await (const { type } of connection.status()) if (type === "reconnect") return;
  })();
  await Promise.all([connection.reconnect(), index.remove("a"), index.put(indexRow("b", { last: 2 }))]);
  await reconnected;
  await waitForIndex(other, ["b 2"]);
}, 60_000);

test("without a server, an index that has no copy is unavailable after its timeout", async () => {
  await using index = await open({ timeout: 500 });
  await bench.cluster.kill(0);
  const unavailable = { code: "unavailable" };
  await expect(index.page({})).rejects.toMatchObject(unavailable);
  await expect(index.get("a")).rejects.toMatchObject(unavailable);
  await expect(index.put(indexRow("a"))).rejects.toMatchObject(unavailable);
  await expect(index.take("n", { session: "a", owner: "o" })).rejects.toMatchObject(unavailable);
  bench.cluster.restart(0);
  await bench.cluster.waitUntilReady();
  await expect.poll(() => index.put(indexRow("a")).catch(() => false), { timeout: 20_000 }).toBe(true);
  await waitForIndex(index, ["a 1"]);
}, 60_000);

test("a copy that has become too old answers no query, until the server is back", async () => {
  await using index = await open({ staleAfter: 3_000 });
  await index.put(indexRow("a"));
  await waitForIndex(index, ["a 1"]);
  await bench.cluster.kill(0);
  expect(await listIndex(index)).toEqual(["a 1"]);
  const answer = () => index.page({}).then(String, (error: { readonly code: string }) => error.code);
  await expect.poll(answer, { timeout: 20_000 }).toBe("unavailable");
  await expect(index.count({})).rejects.toMatchObject({ code: "unavailable" });
  bench.cluster.restart(0);
  await bench.cluster.waitUntilReady();
  await waitForIndex(index, ["a 1"]);
}, 60_000);

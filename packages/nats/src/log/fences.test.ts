import { interceptRequests, type RequestInterceptor } from "@fairlead/testing/nats/intercept-requests.ts";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fenceSequence } from "./log-fence.ts";
import { StreamLayout } from "./stream-layout.ts";

let bench: NatsLogBench;
beforeAll(async () => {
  bench = await NatsLogBench.start(1);
});
afterAll(() => bench[Symbol.asyncDispose]());

const batchOf = (session: string, epoch: number, first: number) => ({
  session,
  epoch,
  first,
  events: [Buffer.from("a")],
  owner: "owner",
});

test("rejects the fence of a session with the same sequence in another stream", async () => {
  const namespace = await bench.createNamespace(2);
  const layout = new StreamLayout(namespace, 2);
  const names = Array.from({ length: 20 }, (_, n) => `session ${n}`);
  const one = names.find((name) => layout.partitionOf(name) === 0) ?? "";
  const other = names.find((name) => layout.partitionOf(name) === 1) ?? "";
  await using log = await bench.open(namespace);
  // The log that appends has not seen the sessions before.
  await using fresh = await bench.open(namespace);
  const claims = { one: await log.claim(one, "owner"), other: await log.claim(other, "owner") };
  expect(fenceSequence(claims.one.fence)).toBe(fenceSequence(claims.other.fence));
  for (const journal of [log, fresh]) {
    const append = journal.append(batchOf(one, 1, 1), claims.other.fence);
    await expect(append).rejects.toMatchObject({ code: "fenced" });
    await expect(journal.forget(one, claims.other.fence)).rejects.toMatchObject({ code: "fenced" });
  }
  await fresh.append(batchOf(one, 1, 1), claims.one.fence);
});

test("a removal that was interrupted hides the session, and is completed by the next claim", async () => {
  const namespace = await bench.createNamespace(1);
  let isCut = true;
  const intercept: RequestInterceptor = async (subject, send) => {
    if (isCut && subject.includes("PURGE")) throw new Error("cut");
    return await send();
  };
  await using log = await bench.open(namespace, (connection) => interceptRequests(connection, intercept), 200);
  await using other = await bench.open(namespace);
  const claims = { s: await log.claim("s", "owner"), t: await log.claim("t", "owner") };
  const { position } = await log.changes(null);
  const fences = {
    s: await log.append(batchOf("s", 1, 1), claims.s.fence),
    t: await log.append(batchOf("t", 1, 1), claims.t.fence),
  };
  for (const session of ["s", "t"] as const) {
    await expect(log.forget(session, fences[session])).rejects.toMatchObject({ code: "unavailable" });
    expect(await other.tail(session)).toEqual({ epoch: 0, last: 0, fence: 0n, owner: "" });
    expect(await Array.fromAsync(other.read(session, 0))).toEqual([]);
    await expect(other.append(batchOf(session, 1, 2), fences[session])).rejects.toMatchObject({ code: "fenced" });
  }
  expect(await Array.fromAsync(other.sessions())).toEqual([]);
  expect((await other.changes(position)).sessions).toEqual([]);
  expect((await other.changes(null)).sessions).toEqual([]);

  const again = await other.claim("s", "successor");
  expect(again).toMatchObject({ epoch: 1, last: 0 });
  await other.append({ ...batchOf("s", 1, 1), owner: "successor" }, again.fence);
  const batches = await Array.fromAsync(other.read("s", 0));
  expect(batches.map(({ owner }) => owner)).toEqual(["successor"]);
  isCut = false;
  await log.forget("t", 0n);
  expect((await other.changes(null)).sessions).toEqual(["s"]);
});

test("a watch continues with the session that was claimed again after a removal", async () => {
  await using log = await bench.open(await bench.createNamespace(1));
  const before = await log.claim("s", "owner");
  const fence = await log.append(batchOf("s", 1, 1), before.fence);
  const watcher = log.watch("s", 0, AbortSignal.timeout(20_000))[Symbol.asyncIterator]();
  expect((await watcher.next()).value).toMatchObject({ first: 1, owner: "owner" });
  const next = watcher.next();
  await log.forget("s", fence);
  const after = await log.claim("s", "successor");
  await log.append({ ...batchOf("s", 1, 1), owner: "successor" }, after.fence);
  expect((await next).value).toMatchObject({ first: 1, owner: "successor" });
  await watcher.return?.();
});

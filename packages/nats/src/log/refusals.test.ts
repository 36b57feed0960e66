import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { interceptRequests, refusal, type RequestInterceptor } from "@fairlead/testing/nats/intercept-requests.ts";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Journal } from "@fairlead/journal";

let bench: NatsLogBench;
beforeAll(async () => {
  bench = await NatsLogBench.start(1);
});
afterAll(() => bench[Symbol.asyncDispose]());

type Send = () => Promise<Msg>;
const lose = async (): Promise<never> => {
  throw new Error("timeout");
};
const sendAndLose = async (send: Send): Promise<never> => {
  await send();
  return await lose();
};

/** Opens a log whose next appends are answered by the given functions, and later ones by the servers. */
async function openWith(...answers: readonly ((send: Send) => Promise<Msg>)[]): Promise<{
  readonly namespace: string;
  readonly log: Journal;
  readonly start: () => void;
}> {
  const namespace = await bench.createNamespace();
  const pending = [...answers];
  let hasStarted = false;
  const intercept: RequestInterceptor = async (subject, send) => {
    const answer = hasStarted && subject.startsWith(`${namespace}.log.`) ? pending.shift() : undefined;
    return await (answer?.(send) ?? send());
  };
  const log = await bench.open(namespace, (connection: NatsConnection) => interceptRequests(connection, intercept));
  return { namespace, log, start: () => (hasStarted = true) };
}

async function readTexts(log: Journal): Promise<string[]> {
  const batches = await Array.fromAsync(log.read("s", 0));
  return batches.flatMap(({ events }) => events.map((event) => Buffer.from(event).toString()));
}

const batchOf = (epoch: number, first: number, text: string) => ({
  session: "s",
  epoch,
  first,
  events: [Buffer.from(text)],
  owner: "owner",
});

test.for<[string, readonly ((send: Send) => Promise<Msg>)[]]>([
  ["is refused with 10164", [async () => refusal(10164)]],
  ["is refused with 10071", [async () => refusal(10071)]],
  ["is refused five times", Array(5).fill(async () => refusal(10164))],
  ["is called a message in process, though it was lost", [async () => refusal(10158)]],
  ["is called a message in process, and is stored", [(send) => send().then(() => refusal(10158))]],
  ["is refused though it is stored", [(send) => send().then(() => refusal(10071))]],
  ["is lost", [lose]],
  ["is stored, and the answer is lost", [sendAndLose]],
  ["is stored, the answer is lost, and the second sending is refused", [sendAndLose, async () => refusal(10164)]],
  ["fails for another reason", [async () => refusal(10077)]],
])("does not fence a lone owner whose append %s, and stores it once", async ([, answers]) => {
  const { log, start } = await openWith(...answers);
  await using _ = log;
  const { fence } = await log.claim("s", "owner");
  start();
  const next = await log.append(batchOf(1, 1, "a"), fence);
  expect(await log.tail("s")).toEqual({ epoch: 1, last: 1, fence: next, owner: "owner" });
  await log.append(batchOf(1, 2, "b"), next);
  expect(await readTexts(log)).toEqual(["a", "b"]);
});

test.for<[string, readonly ((send: Send) => Promise<Msg>)[]]>([
  ["is refused", [async () => refusal(10164)]],
  ["is stored, and the answer is lost", [sendAndLose]],
])("gives a claim that %s one epoch", async ([, answers]) => {
  const { log, start } = await openWith(...answers);
  await using _ = log;
  start();
  const claim = await log.claim("s", "owner");
  expect(claim).toMatchObject({ epoch: 1, last: 0 });
  await log.append(batchOf(1, 1, "a"), claim.fence);
});

test("succeeds if the append was stored, though another owner has claimed the session since", async () => {
  const claimed: Promise<unknown>[] = [];
  const { namespace, log, start } = await openWith(async (send) => {
    await send();
    claimed.push(other.claim("s", "other"));
    await claimed[0];
    return await lose();
  });
  await using _ = log;
  await using other = await bench.open(namespace);
  const { fence } = await log.claim("s", "owner");
  start();
  const next = await log.append(batchOf(1, 1, "a"), fence);
  await expect(log.append(batchOf(1, 2, "b"), next)).rejects.toMatchObject({ code: "fenced" });
  expect(await readTexts(log)).toEqual(["a"]);
  expect(await other.tail("s")).toMatchObject({ epoch: 2, last: 1, owner: "other" });
});

test("is fenced if another owner claimed the session, and the append was lost", async () => {
  const { namespace, log, start } = await openWith(async () => {
    await other.claim("s", "other");
    return await lose();
  });
  await using _ = log;
  await using other = await bench.open(namespace);
  const { fence } = await log.claim("s", "owner");
  start();
  await expect(log.append(batchOf(1, 1, "a"), fence)).rejects.toMatchObject({ code: "fenced" });
  expect(await readTexts(log)).toEqual([]);
});

test("two claims of one owner with equal content get two epochs", async () => {
  const { namespace, log, start } = await openWith(async (send) => {
    first ??= other.claim("s", "same");
    await first;
    return await send();
  });
  let first: Promise<{ epoch: number }> | undefined;
  await using _ = log;
  await using other = await bench.open(namespace);
  start();
  const { epoch } = await log.claim("s", "same");
  expect([epoch, (await first)?.epoch]).toEqual([2, 1]);
});

test("is unavailable, not fenced, when nothing answers until the time is over", async () => {
  const namespace = await bench.createNamespace();
  let isCut = false;
  const intercept: RequestInterceptor = async (_, send) => (isCut ? await lose() : await send());
  const wrap = (connection: NatsConnection): NatsConnection => interceptRequests(connection, intercept);
  await using log = await bench.open(namespace, wrap, 300);
  const { fence } = await log.claim("s", "owner");
  isCut = true;
  await expect(log.append(batchOf(1, 1, "a"), fence)).rejects.toMatchObject({ code: "unavailable" });
  isCut = false;
  expect(await log.tail("s")).toMatchObject({ last: 0, fence });
  await log.append(batchOf(1, 1, "a"), fence);
});

test("is not fenced by its own append that arrives after the time was over", async () => {
  const namespace = await bench.createNamespace();
  const kept: Send[] = [];
  let isCut = false;
  const intercept: RequestInterceptor = async (subject, send) => {
    if (!isCut) return await send();
    if (subject.startsWith(`${namespace}.log.`)) kept.push(send);
    return await lose();
  };
  await using log = await bench.open(namespace, (connection) => interceptRequests(connection, intercept), 300);
  const { fence } = await log.claim("s", "owner");
  isCut = true;
  await expect(log.append(batchOf(1, 1, "a"), fence)).rejects.toMatchObject({ code: "unavailable" });
  isCut = false;
  expect(await log.tail("s")).toMatchObject({ last: 0, fence });
  // A client that has lost its connection sends what it has kept when it is connected again.
  await kept[0]?.();
  await expect(log.append(batchOf(1, 1, "a"), fence)).rejects.toMatchObject({ code: "unavailable" });
  const tail = await log.tail("s");
  expect(tail).toMatchObject({ epoch: 1, last: 1 });
  await log.append(batchOf(1, 2, "b"), tail.fence);
  expect(await readTexts(log)).toEqual(["a", "b"]);
});

test("is not fenced by the first of two of its appends that were not answered", async () => {
  const namespace = await bench.createNamespace();
  const kept: Send[] = [];
  let state: "open" | "next append" | "cut" = "open";
  const intercept: RequestInterceptor = async (subject, send) => {
    // The append may read the end before it sends.
    if (state === "next append" && subject.startsWith(`${namespace}.log.`)) {
      kept.push(send);
      state = "cut";
    }
    return state === "cut" ? await lose() : await send();
  };
  await using log = await bench.open(namespace, (connection) => interceptRequests(connection, intercept), 200);
  const { fence } = await log.claim("s", "owner");
  for (const text of ["a", "b"]) {
    state = "next append";
    await expect(log.append(batchOf(1, 1, text), fence)).rejects.toMatchObject({ code: "unavailable" });
  }
  state = "open";
  expect(kept).toHaveLength(2);
  await kept[0]?.();
  await expect(log.append(batchOf(1, 1, "b"), fence)).rejects.toMatchObject({ code: "unavailable" });
  const tail = await log.tail("s");
  await log.append(batchOf(1, 2, "b"), tail.fence);
  expect(await readTexts(log)).toEqual(["a", "b"]);
});

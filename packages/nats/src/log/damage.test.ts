import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { jetstreamManager } from "@nats-io/jetstream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { logStreamConfig } from "../cluster/create-streams.ts";
import type { Journal } from "@fairlead/journal";
import { StreamLayout } from "./stream-layout.ts";

let bench: NatsLogBench;
beforeAll(async () => {
  bench = await NatsLogBench.start(1);
});
afterAll(() => bench[Symbol.asyncDispose]());

let namespaces = 0;

/** Opens a log whose messages can be deleted and replaced, with the events 1 to 4 of two sessions. */
async function openDamageable() {
  const layout = new StreamLayout(`damage-${namespaces++}`, 1);
  const connection = await bench.connect();
  const { streams } = await jetstreamManager(connection);
  await streams.add({ ...logStreamConfig(layout, 0, 1), deny_delete: false });
  const log = await bench.open(layout.namespace);
  for (const session of ["s", "other"]) {
    const { fence: first } = await log.claim(session, "owner");
    let fence = first;
    for (let n = 1; n <= 4; n++)
      fence = await log.append({ ...batchOf(session, n), events: [Buffer.from(`${n}`)] }, fence);
  }
  const subject = layout.subjectOf("s");
  return {
    log,
    /** Deletes the message of an event. The claim is message 1. */
    remove: (event: number) => streams.deleteMessage(layout.streamName(0), event + 1),
    /** Publishes bytes that no log has written. */
    publish: (payload: Uint8Array) => connection.request(subject, payload),
    payloadOf: async (session: string, event: number) => {
      const sequence = session === "s" ? event + 1 : event + 6;
      return (await streams.getMessage(layout.streamName(0), { seq: sequence }))?.data ?? new Uint8Array();
    },
  };
}

const batchOf = (session: string, first: number) => ({ session, epoch: 1, first, events: [], owner: "owner" });

async function readUntilError(log: Journal, after = 0) {
  const texts: string[] = [];
  try {
    for await (const { events } of log.read("s", after))
      texts.push(...events.map((event) => Buffer.from(event).toString()));
  } catch (error) {
    return { texts, error };
  }
  return { texts };
}

test.for([
  ["a missing claim", 0, []],
  ["a missing first batch", 1, []],
  ["a missing batch in the middle", 3, ["1", "2"]],
] as const)("reads the batches before %s, then throws", async ([, event, texts]) => {
  const { log, remove } = await openDamageable();
  await using _ = log;
  await remove(event);
  const message = expect.stringMatching(`Session s is damaged at event ${texts.length + 1}`);
  expect(await readUntilError(log)).toEqual({ texts, error: expect.objectContaining({ code: "corrupt", message }) });
  const watch = Array.fromAsync(log.watch("s", 0, AbortSignal.timeout(4_000)));
  await expect(watch).rejects.toMatchObject({ code: "corrupt" });
  expect(await Array.fromAsync(log.read("other", 0))).toHaveLength(4);
});

test.for([
  ["other bytes", async () => Buffer.from("no frame")],
  ["another session's frame", async ({ payloadOf }) => await payloadOf("other", 4)],
] as const satisfies readonly (readonly [
  string,
  (damageable: Awaited<ReturnType<typeof openDamageable>>) => Promise<Uint8Array>,
])[])("with %s at the end, rejects tail and claim, serves other sessions, and can forget it", async ([, payload]) => {
  const damageable = await openDamageable();
  const { log, publish } = damageable;
  await using _ = log;
  await publish(await payload(damageable));
  const corrupt = { code: "corrupt", message: expect.stringContaining("Session s is damaged") };
  await expect(log.tail("s")).rejects.toMatchObject(corrupt);
  await expect(log.claim("s", "successor")).rejects.toMatchObject(corrupt);
  const listed = await Array.fromAsync(log.sessions());
  expect(listed.map(({ session, damage }) => [session, damage?.code])).toEqual([
    ["s", "corrupt"],
    ["other", undefined],
  ]);
  await expect(log.forget("other", "damaged")).rejects.toMatchObject({ code: "fenced" });
  await log.forget("s", "damaged");
  expect((await log.changes(null)).sessions).toEqual(["other"]);
  expect(await log.claim("s", "successor")).toMatchObject({ epoch: 1, last: 0 });
});

test("a repeated frame of the session is damage", async () => {
  const { log, publish, payloadOf } = await openDamageable();
  await using _ = log;
  await publish(await payloadOf("s", 4));
  expect(await readUntilError(log)).toMatchObject({ texts: ["1", "2", "3", "4"], error: { code: "corrupt" } });
});

import { interceptRequests, refusal } from "@fairlead/testing/nats/intercept-requests.ts";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { expect, test } from "vitest";
import { createFleetStreams } from "./cluster/create-streams.ts";
import { openNatsLog } from "./log/open-nats-log.ts";

test("streams are created and a log is opened although the servers have no leader at first", async () => {
  await using bench = await NatsLogBench.start(1);
  const connection = await bench.connect();
  const refusals = new Map([
    ["STREAM.CREATE", [10008, 10005]],
    ["STREAM.INFO", [10008]],
  ]);
  const electing = interceptRequests(connection, async (subject, send) => {
    const [, codes] = [...refusals].find(([call]) => subject.includes(call)) ?? [];
    const code = codes?.shift();
    return code === undefined ? await send() : refusal(code);
  });
  const options = { namespace: "electing", replicas: 1, streams: 2 };
  expect((await createFleetStreams(electing, options)).created).toHaveLength(2);
  expect([...refusals.values()].flat()).toEqual([]);
  refusals.set("STREAM.INFO", [10008]);
  await using log = await openNatsLog({ connection: electing, namespace: "electing" });
  expect((await log.tail("s")).epoch).toBe(0);
});

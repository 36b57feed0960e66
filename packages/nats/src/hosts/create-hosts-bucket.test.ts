import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { expect, test } from "vitest";
import { createBucket } from "../bucket/create-bucket.ts";
import { createHostsBucket } from "./create-hosts-bucket.ts";

test("creating the bucket again changes nothing, and other settings are refused", async () => {
  await using bench = await NatsLogBench.start(1);
  await using connection = await bench.connect();
  const options = { namespace: "init", replicas: 1 };
  expect(await createHostsBucket(connection, options)).toEqual({ stream: "KV_init_hosts", isCreated: true });
  expect(await createHostsBucket(connection, options)).toEqual({ stream: "KV_init_hosts", isCreated: false });
  const message = expect.stringContaining("max_age 3600000000000 instead of 5000000000") as string;
  const other = createBucket(connection, "hosts", options, { maxAge: 5000, markers: 60_000 });
  await expect(other).rejects.toMatchObject({ message });
});

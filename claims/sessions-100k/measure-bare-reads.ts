import { jetstreamManager, StorageType } from "@nats-io/jetstream";
import type { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { setTimeout as delay } from "node:timers/promises";
import { quantile } from "../../measure/quantile.ts";

const readers = 2;
const readsPerReader = 250;

/** Measures how long servers take to return the one message of a stream, without Fairlead and without many sessions. */
export async function measureBareReads(bench: NatsLogBench): Promise<{ readonly p50: number; readonly p99: number }> {
  const connection = await bench.connect();
  const { streams } = await jetstreamManager(connection);
  await streams.add({ name: "bare", subjects: ["bare"], num_replicas: bench.nodes, storage: StorageType.File });
  // The servers may still elect the leader of the stream.
  while (!(await connection.request("bare", "one message").catch(() => undefined))) await delay(50);
  const times: number[] = [];
  const read = async (): Promise<void> => {
    for (let n = 0; n < readsPerReader; n++) {
      const before = performance.now();
      await streams.getMessage("bare", { last_by_subj: "bare" });
      times.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: readers }, read));
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

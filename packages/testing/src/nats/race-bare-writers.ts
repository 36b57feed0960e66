import { NatsCluster } from "./nats-cluster.ts";
import type { NatsRelease } from "./nats-program.ts";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";

const writerCount = 8;

/** Returns in how many rounds several of eight writers with the same expected sequence were acknowledged. */
export async function raceBareWriters(release: NatsRelease, rounds: number): Promise<number> {
  // That release cannot sync each write.
  const lazyNodes = release === "2.9" ? [0, 1, 2] : [];
  await using cluster = await NatsCluster.start({ nodes: 3, release, lazyNodes });
  const open = Array.from({ length: writerCount }, (_, index) =>
    connect({ servers: cluster.servers[index % cluster.servers.length] ?? "", ...cluster.application }),
  );
  const connections = await Promise.all(open);
  await using stack = new AsyncDisposableStack();
  for (const connection of connections) stack.defer(() => connection.close());
  const [first] = connections;
  if (first === undefined) return 0;
  const { streams } = await jetstreamManager(first, { timeout: 10_000 });
  await streams.add({ name: "race", subjects: ["race.*"], num_replicas: 3 });
  let several = 0;
  let lastSubjectSequence = 0;
  for (let round = 0; round < rounds; round++) {
    const attempts = connections.map((connection, index) =>
      jetstream(connection).publish("race.one", `${index}`, { expect: { lastSubjectSequence } }),
    );
    const winners = (await Promise.allSettled(attempts)).filter((attempt) => attempt.status === "fulfilled");
    if (winners.length > 1) several++;
    lastSubjectSequence = Math.max(lastSubjectSequence, ...winners.map(({ value }) => value.seq));
  }
  return several;
}

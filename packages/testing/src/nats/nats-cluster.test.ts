import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { expect, test } from "vitest";
import { NatsCluster } from "./nats-cluster.ts";

test("keeps a message when the leader of its stream is killed and starts again", async () => {
  await using cluster = await NatsCluster.start({ nodes: 3 });
  await using connection = await connect({
    servers: [...cluster.servers],
    ...cluster.application,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
  });
  const streams = (await jetstreamManager(connection)).streams;
  await streams.add({ name: "kept", subjects: ["kept.>"], num_replicas: 3 });
  await jetstream(connection).publish("kept.one", "text");

  const leader = await cluster.findLeader("kept");
  await cluster.kill(leader);
  expect(cluster.pids).toHaveLength(2);
  expect(await cluster.findLeader("kept")).not.toBe(leader);
  cluster.restart(leader);
  await cluster.waitUntilReady();

  const message = await streams.getMessage("kept", { last_by_subj: "kept.one" });
  expect(message?.string()).toBe("text");
});

test("the servers end with the process that started them, even if it is killed", async () => {
  // The killed process cannot remove the stores.
  using folder = mkdtempDisposableSync(join(tmpdir(), "fairlead-nats-test-"));
  const module = new URL("nats-cluster.ts", import.meta.url).href;
  const program = `
    const { NatsCluster } = await import(${JSON.stringify(module)});
    const cluster = await NatsCluster.start({ nodes: 1 });
    console.log(cluster.pids[0]);
    setInterval(() => {}, 1000);
  `;
  const owner = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    env: { ...process.env, TMPDIR: folder.path },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(owner.stdout, "data")) as [Buffer];
  const server = Number(line.toString());
  expect(existsSync(`/proc/${server}`)).toBe(true);

  owner.kill("SIGKILL");

  while (existsSync(`/proc/${server}`)) await delay(20);
});

test("says how to install a server that is not there", async () => {
  const start = NatsCluster.start({ nodes: 1, release: "missing" as "current" });
  await expect(start).rejects.toThrow("node scripts/install-nats.ts");
});

test("a cluster on loopback cannot be partitioned", async () => {
  await using cluster = await NatsCluster.start({ nodes: 1 });
  await expect(cluster.partition(0, "all")).rejects.toThrow("namespaces");
});

import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { NatsCluster, type NatsClusterOptions } from "@fairlead/testing/nats/nats-cluster.ts";
import {
  DiscardPolicy,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";
import { describe, expect, test } from "vitest";
import { connectToNats } from "../connect-to-nats.ts";
import { StreamLayout } from "../log/stream-layout.ts";
import { createFleetStreams, logStreamConfig, streamCountKey } from "./create-streams.ts";
import type { FleetSource } from "./fleet-connection.ts";
import { FleetFile } from "./fleet-file.ts";
import { initFleet } from "./init-fleet.ts";

function sourceOf(cluster: NatsCluster, changes: Partial<FleetFile> = {}): FleetSource {
  const fleet = FleetFile.parse({
    servers: cluster.servers,
    login: { user: cluster.application.user, passwordVariable: "LOGIN" },
    system: { user: cluster.system.user, passwordVariable: "SYSTEM" },
    ...changes,
  });
  const environment = { LOGIN: cluster.application.pass, SYSTEM: cluster.system.pass };
  return { fleet, folder: "/", environment };
}

async function listStreams(cluster: NatsCluster): Promise<string[]> {
  const { user, pass: password } = cluster.application;
  await using connection = await connectToNats({ servers: cluster.servers, user, password });
  const names: string[] = [];
  for await (const name of (await jetstreamManager(connection)).streams.names()) names.push(name);
  return names;
}

describe("three safe servers", () => {
  test("get the streams of a fleet, once", async () => {
    await using cluster = await NatsCluster.start({ nodes: 3 });
    const first = await initFleet(sourceOf(cluster));
    expect(first.servers.map(({ name }) => name).toSorted()).toEqual(["n1", "n2", "n3"]);
    expect(first.createdStreams).toHaveLength(24);
    expect(first.keptStreams).toEqual([]);

    const second = await initFleet(sourceOf(cluster));
    expect(second.createdStreams).toEqual([]);
    expect(second.keptStreams).toEqual(first.createdStreams);
    expect((await listStreams(cluster)).toSorted()).toEqual(first.createdStreams.toSorted());

    const wrong = { ...sourceOf(cluster).environment, LOGIN: "wrong" };
    await expect(initFleet({ ...sourceOf(cluster), environment: wrong })).rejects.toMatchObject({
      code: "not-allowed",
      message: expect.stringContaining("refuse the user of `login`, fleet, with the password in LOGIN"),
    });
    await expect(initFleet({ ...sourceOf(cluster), environment: { ...wrong, LOGIN: undefined } })).rejects.toThrow(
      "The environment variable LOGIN is not set",
    );
  });

  test("are refused if one does not sync always, and get no stream", async () => {
    await using cluster = await NatsCluster.start({ nodes: 3, lazyNodes: [1] });
    await expect(initFleet(sourceOf(cluster))).rejects.toMatchObject({
      code: "not-supported",
      message: expect.stringMatching(/^Server n2 acknowledges events before they are on disk: [^\n]*$/),
    });
    expect(await listStreams(cluster)).toEqual([]);
  });

  test("are refused while one is away", async () => {
    await using cluster = await NatsCluster.start({ nodes: 3 });
    await cluster.kill(2);
    const servers = cluster.servers.slice(0, 2);
    await expect(initFleet(sourceOf(cluster, { servers }))).rejects.toThrow(
      "Only 2 of 3 servers with JetStream answered",
    );
  });

  test("are refused if the streams exist with another number of replicas or streams", async () => {
    await using cluster = await NatsCluster.start({ nodes: 3 });
    const { user, pass: password } = cluster.application;
    await using connection = await connectToNats({ servers: cluster.servers, user, password });
    await createFleetStreams(connection, { namespace: "one", replicas: 1, streams: 16 });
    await createFleetStreams(connection, { namespace: "two", replicas: 3, streams: 2 });
    await expect(initFleet(sourceOf(cluster, { namespace: "one" }))).rejects.toMatchObject({ code: "conflict" });
    await expect(initFleet(sourceOf(cluster, { namespace: "two" }))).rejects.toMatchObject({ code: "conflict" });
  });
});

describe("addresses", () => {
  test("of two clusters are refused, and neither gets a stream", async () => {
    await using safe = await NatsCluster.start({ nodes: 3 });
    await using unsafe = await NatsCluster.start({ nodes: 1, lazyNodes: [0], users: safe });
    const [foreign = ""] = unsafe.servers;
    // The client picks an address by chance, so the check is repeated.
    for (let round = 0; round < 4; round++) {
      await expect(initFleet(sourceOf(safe, { servers: [...safe.servers, foreign] }))).rejects.toMatchObject({
        code: "not-supported",
        message: expect.stringMatching("is not in the cluster that was checked"),
      });
    }
    expect(await listStreams(safe)).toEqual([]);
    expect(await listStreams(unsafe)).toEqual([]);
  });
});

describe("streams that exist", () => {
  test("are refused with each setting that could lose or hide events, or if one of them was lost", async () => {
    await using cluster = await NatsCluster.start({ nodes: 1 });
    const { user, pass: password } = cluster.application;
    await using connection = await connectToNats({ servers: cluster.servers, user, password });
    const { streams } = await jetstreamManager(connection);
    // A busy server failed once to create a store, and says why in its log only. This test is not about that.
    const addStream = async (config: Parameters<typeof streams.add>[0]): Promise<void> => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return void (await streams.add(config));
        } catch (error) {
          if (attempt === 3 || !String(error).includes("error creating store"))
            throw new Error(cluster.lastLines, { cause: error });
          await delay(500);
        }
      }
    };
    const optionsOf = (namespace: string) => ({ namespace, replicas: 1, streams: 2 });
    const wantedIn = (namespace: string) => logStreamConfig(new StreamLayout(namespace, 2), 0, 1);
    const changes: readonly (readonly [Partial<StreamConfig>, string])[] = [
      [{ discard: DiscardPolicy.Old }, "discard old instead of new"],
      [{ max_age: 3_600_000_000_000 }, "max_age 3600000000000 instead of 0"],
      [{ max_msgs: 10 }, "max_msgs 10 instead of -1"],
      [{ max_msgs_per_subject: 1 }, "max_msgs_per_subject 1 instead of -1"],
      [{ max_msg_size: 1024 }, "max_msg_size 1024 instead of -1"],
      [{ storage: StorageType.Memory }, "storage memory instead of file"],
      [{ retention: RetentionPolicy.Workqueue }, "retention workqueue instead of limits"],
      [{ allow_direct: false }, "allow_direct false instead of true"],
      [{ deny_delete: false }, "deny_delete false instead of true"],
      [{ allow_rollup_hdrs: true }, "allow_rollup_hdrs true instead of false"],
      [{ subjects: ["a10.log.0.a"] }, 'subjects ["a10.log.0.a"] instead of ["a10.log.0.*"]'],
      [{ republish: { src: "a11.log.0.*", dest: "x.{{wildcard(1)}}" } }, "republish.dest x.{{wildcard(1)}} instead of"],
      [{ metadata: { [streamCountKey]: "2" } }, "metadata.fairlead-log-version (not set) instead of 1"],
    ];
    for (const [index, [change, sentence]] of changes.entries()) {
      // Each has a namespace of its own: a server that is still removing the files of a stream cannot create it again.
      const namespace = `a${index}`;
      await addStream({ ...wantedIn(namespace), ...change });
      await expect(createFleetStreams(connection, optionsOf(namespace))).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringContaining(`The stream ${namespace}-log-0 exists with ${sentence}`),
      });
    }

    const options = optionsOf("one");
    await streams.add({ ...wantedIn("one"), max_bytes: 1024 * 1024 });
    expect(await createFleetStreams(connection, options)).toEqual({ created: ["one-log-1"], kept: ["one-log-0"] });
    await jetstream(connection).publish("one.log.0.a", "x");
    await streams.delete("one-log-1");
    await expect(createFleetStreams(connection, options)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("The stream one-log-1 is missing although one-log-0 has events"),
    });
    await expect(streams.info("one-log-1")).rejects.toThrow("stream not found");

    await streams.add({ name: "other", subjects: ["two.log.1.>"] });
    await expect(createFleetStreams(connection, { ...options, namespace: "two" })).rejects.toThrow(
      "The stream two-log-1 cannot be created, because other has its subjects two.log.1.*: choose another namespace, " +
        "or remove other if nothing in it is needed. 1 stream was created, of 2 that a fleet needs.",
    );
  });
});

describe("one server", () => {
  const refused: readonly (readonly [string, NatsClusterOptions, RegExp])[] = [
    ["because it is one", { nodes: 1 }, /^The cluster has 1 server with JetStream/],
    ["with small messages", { nodes: 1, maxPayload: "1MB" }, /^Server n1 accepts messages of 1 MiB,/m],
    ["that is old", { nodes: 1, release: "2.10" }, /^Server n1 has version 2\.10\./m],
  ];
  test.each(refused)("is refused %s", async (_, options, sentence) => {
    await using cluster = await NatsCluster.start(options);
    await expect(initFleet(sourceOf(cluster))).rejects.toMatchObject({
      code: "not-supported",
      message: expect.stringMatching(sentence),
    });
    expect(await listStreams(cluster)).toEqual([]);
  });

  test("is refused if its settings cannot be read", async () => {
    await using cluster = await NatsCluster.start({ nodes: 1 });
    const system = { user: cluster.application.user, passwordVariable: "LOGIN" };
    await expect(initFleet(sourceOf(cluster, { system }))).rejects.toThrow("is not in the system account");
    await expect(initFleet(sourceOf(cluster, { system: undefined }))).rejects.toThrow("give that user as `system`");
    const wrong = { user: cluster.system.user, passwordVariable: "LOGIN" };
    await expect(initFleet(sourceOf(cluster, { system: wrong }))).rejects.toThrow("refuse the user of `system`");
    const missing = { credentials: "no-such.creds" };
    await expect(initFleet(sourceOf(cluster, { system: missing }))).rejects.toThrow(
      "system.credentials names /no-such.creds, and there is no such file",
    );
  });
});

describe("servers that cannot be reached", () => {
  const fleet = (port: number): FleetSource => ({
    fleet: FleetFile.parse({ servers: [`127.0.0.1:${port}`] }),
    folder: "/",
    environment: {},
  });

  test("are reported, whether they refuse connections or do not speak", async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const start = performance.now();
    await expect(initFleet(fleet(port))).rejects.toMatchObject({ code: "unavailable" });
    expect(performance.now() - start).toBeLessThan(15_000);
    for (const socket of sockets) socket.destroy();
    silent.close();
    await once(silent, "close");

    await expect(initFleet(fleet(port))).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(`The server at 127.0.0.1:${port} refuses connections`),
    });
  });
});

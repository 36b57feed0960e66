import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openNatsEngine } from "@fairlead/nats";
import { projectionVersion } from "@fairlead/runtime";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { indexRow } from "@fairlead/testing/nats/index-rows.ts";
import { NatsCluster } from "@fairlead/testing/nats/nats-cluster.ts";
import { expect, test } from "vitest";
import { prepareFleetEngine } from "./open-fleet-engine.ts";

// On a busy machine, three servers and ten commands take more than a minute.
const limit = { timeout: 300_000 };

test("shows the hosts and the state of a fleet, and drains and moves", limit, async () => {
  await using cluster = await NatsCluster.start({ nodes: 3 });
  await using cli = new TestCli({ LOGIN: cluster.application.pass, SYSTEM: cluster.system.pass });
  const lines = [
    `servers: [${cluster.servers.map((server) => `"${server}"`).join(", ")}]`,
    `login: { user: ${cluster.application.user}, passwordVariable: LOGIN }`,
    `system: { user: ${cluster.system.user}, passwordVariable: SYSTEM }`,
  ];
  writeFileSync(join(cli.workspace, "fleet.yaml"), `${lines.join("\n")}\n`);
  const fleet = (...words: string[]) => ["fleet", ...words, "--fleet", "fleet.yaml"];
  expect((await cli.runProgram(fleet("init"))).code).toBe(0);

  const { servers, application } = cluster;
  await using engine = await openNatsEngine({
    connection: { servers, user: application.user, password: application.pass },
    namespace: "fairlead",
    host: "h1",
    indexContentVersion: projectionVersion,
  });
  const environment = { LOGIN: cluster.application.pass };
  const openEngine = await prepareFleetEngine({ folder: cli.workspace, environment }, "fleet.yaml");
  await using _gateway = await openEngine("gateway");
  expect((await cli.run(fleet("hosts"))).out).toContain("No host has joined.");
  const host = await engine.hosts.join({ name: "machine", pool: "p", capacity: 5, version: "1.0.0" });
  await engine.index.put(indexRow("s1", { owner: host.owner, name: "one" }));
  let isDraining = false;
  await using served = await engine.bus.serve("host/h1", 1, async ({ method, params }) =>
    method === "undo-drain"
      ? { wasDraining: isDraining }
      : method === "drain"
        ? { moved: ["s1"], ended: [], left: [{ session: "s2", reason: "no room" }] }
        : (params as { session: string }).session === "s1"
          ? "moved"
          : "ended",
  );

  // A server that answers too late is missing on the screen. The next look has it.
  let last: Awaited<ReturnType<TestCli["run"]>> | undefined;
  const look = async (...words: string[]): Promise<string> => (last = await cli.run(fleet(...words))).out;
  const patience = { timeout: 120_000, interval: 1_000 };
  await expect.poll(() => look("hosts"), patience).toMatch(/h1 +machine +p +1 of 5 +ready +1\.0\.0/);
  await expect.poll(() => look("status"), patience).toContain("Fleet fairlead: healthy\n");
  expect(last?.err).toBe("");
  expect(last?.out).toMatch(/^Fleet fairlead: healthy\nServers +3 of 3, version \d+\.\d+\.\d+, sync always\n/);
  expect(last?.out).toMatch(/Streams +24: 24 with a leader, 24 with all copies/);
  expect(last?.out).toMatch(/Hosts +1: 1 of 5 places taken\nGateways +1\nSessions +1 idle\n/);
  expect(last?.code).toBe(0);

  await engine.index.put(indexRow("p1", { owner: host.owner, name: "resting", state: "paused", unfinished: false }));
  expect((await cli.run(fleet("move", "resting"))).err).toContain("Session p1 is paused");
  const moved = await cli.run(["fleet", "move", "one", "--fleet", "fleet.yaml"]);
  expect(moved.out).toBe("Moved s1 away from h1.\n");
  const drained = await cli.run(["fleet", "drain", "machine", "--fleet", "fleet.yaml"]);
  expect(drained.out).toContain("Moved 1 session of h1");
  expect(drained.out).toContain("s2 stays: no room");
  expect(drained.out).toContain("The pool p has no other host that takes work.");
  expect(drained.code).toBe(1);
  expect((await cli.run(["fleet", "drain", "h9", "--fleet", "fleet.yaml"])).err).toContain("No host h9 has joined");
  expect((await cli.run(["fleet", "move", "s9", "--fleet", "fleet.yaml"])).err).toContain("No open session is s9");

  const idle = await cli.run(fleet("drain", "h1", "--undo"));
  expect(idle.out).toBe("h1 is not draining.\n");
  expect(idle.code).toBe(0);
  isDraining = true;
  await host.setDraining(true);
  expect((await cli.run(fleet("hosts"))).out).toMatch(/h1 +machine +p +1 of 5 +draining +1\.0\.0/);
  expect((await cli.json<{ state: string }>(...fleet("hosts")))[0]).toMatchObject({ state: "draining" });
  expect((await cli.run(fleet("status"))).out).toMatch(/Hosts +1: 1 of 5 places taken, 1 draining \(h1\)\n/);
  const undone = await cli.run(fleet("drain", "h1", "--undo"));
  expect(undone.out).toBe("h1 takes work again.\n");
  expect(undone.code).toBe(0);
  const misplaced = await cli.run(fleet("move", "one", "--undo"));
  expect(misplaced.err).toContain("--undo is for fleet drain only.");
  expect(misplaced.code).toBe(2);

  await served[Symbol.asyncDispose]();
  const left = (): Promise<string> => cli.run(fleet("move", "one")).then(({ err }) => err);
  expect(await left()).toBe(
    "fairlead: Session s1 cannot leave h1, because the host does not answer. Try again later.\n",
  );
  await host.absent(600_000);
  await expect
    .poll(left, patience)
    .toContain("Session s1 cannot leave h1, because the process of the host is stopped.");
  await host.endAbsences();
  await host[Symbol.asyncDispose]();
  await expect.poll(left, patience).toContain("Session s1 cannot leave h1, because the host is not in the fleet now.");
  await cluster.kill(2);
  await expect.poll(() => look("status"), patience).toMatch(/streams on n3 are[^]*1 session has lost the host \(s1\)/);
});

test("names the servers that answer if most do not", async () => {
  await using cluster = await NatsCluster.start({ nodes: 3 });
  await using cli = new TestCli({ LOGIN: cluster.application.pass });
  const lines = [
    `servers: [${cluster.servers.map((server) => `"${server}"`).join(", ")}]`,
    `login: { user: ${cluster.application.user}, passwordVariable: LOGIN }`,
  ];
  writeFileSync(join(cli.workspace, "fleet.yaml"), `${lines.join("\n")}\n`);
  await cluster.kill(1);
  await cluster.kill(2);
  const { out, code } = await cli.run(["fleet", "status", "--fleet", "fleet.yaml"]);
  expect(out).toContain(`1 of 3 answer: ${cluster.servers[0]}`);
  expect(out).toContain("Only 1 of 3 servers answer, and the fleet needs more than half of them");
  expect(out).toContain(`The server at ${cluster.servers[1]} refuses connections`);
  expect(code).toBe(1);
  const shown = await cli.run(["fleet", "status", "--fleet", "fleet.yaml", "--json"]);
  expect(JSON.parse(shown.out)).toMatchObject({ namespace: "fairlead", answering: [cluster.servers[0]] });
});

test("computes a plan, and names a wrong number", async () => {
  await using cli = new TestCli();
  const { out, code } = await cli.run(["fleet", "plan", "--sessions", "100", "--rate", "1000", "--pace", "250"]);
  expect(out).toMatch(/frames +400\/s with 2\.5 events each/);
  expect(code).toBe(0);
  const wrong = await cli.run(["fleet", "plan", "--sessions", "many", "--rate", "1"]);
  expect(wrong.err).toContain("--sessions is not a number from 1: many");
  expect(wrong.code).toBe(2);
  expect((await cli.run(["fleet", "status"])).err).toContain("The file of the fleet is missing.");
});

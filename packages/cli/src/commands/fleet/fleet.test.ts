import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { NatsCluster } from "@fairlead/testing/nats/nats-cluster.ts";
import { expect, test } from "vitest";

const init = ["fleet", "init", "--fleet", "fleet.yaml"];

function writeFleetFile(cli: TestCli, lines: readonly string[]): void {
  writeFileSync(join(cli.workspace, "fleet.yaml"), `${lines.join("\n")}\n`);
}

test("sets up a fleet, and says that it was set up before", async () => {
  await using cluster = await NatsCluster.start({ nodes: 3 });
  await using cli = new TestCli({ LOGIN: cluster.application.pass, SYSTEM: cluster.system.pass });
  writeFleetFile(cli, [
    `servers: [${cluster.servers.map((server) => `"${server}"`).join(", ")}]`,
    "namespace: test",
    `login: { user: ${cluster.application.user}, passwordVariable: LOGIN }`,
    `system: { user: ${cluster.system.user}, passwordVariable: SYSTEM }`,
  ]);
  const first = await cli.runProgram(init);
  expect(first.err).toBe("");
  expect(first.out).toMatch(
    /^3 servers with version \d+\.\d+\.\d+ are safe for a fleet\.\nCreated the 24 streams of the fleet test\.\n/,
  );
  expect(first.code).toBe(0);

  const second = await cli.runProgram(init);
  expect(second.out).toContain("The fleet test was set up before: its 24 streams stay as they are.");
  expect(second.code).toBe(0);
  const { out } = await cli.runProgram([...init, "--json"]);
  expect(JSON.parse(out)).toMatchObject({ namespace: "test", createdStreams: [], keptStreams: { length: 24 } });
});

test("says what to change on a server that is not safe, and what to type then", async () => {
  await using cluster = await NatsCluster.start({ nodes: 1, lazyNodes: [0] });
  await using cli = new TestCli({ LOGIN: cluster.application.pass, SYSTEM: cluster.system.pass });
  writeFleetFile(cli, [
    `servers: ["${cluster.servers[0]}"]`,
    `login: { user: ${cluster.application.user}, passwordVariable: LOGIN }`,
    `system: { user: ${cluster.system.user}, passwordVariable: SYSTEM }`,
  ]);
  const { code, err } = await cli.runProgram(init);
  expect(err).toContain("run three as a cluster");
  expect(err).toContain("set `sync_interval: always`");
  expect(err).toMatch(/\nThen run: fairlead fleet init --fleet fleet\.yaml\n$/);
  expect(code).toBe(1);
});

test("names the problem of the file", async () => {
  await using cli = new TestCli();
  expect((await cli.runProgram(["fleet", "init"])).err).toContain("The file of the fleet is missing.");
  expect((await cli.runProgram(init)).err).toContain("There is no file");
  const problems: readonly (readonly [readonly string[], string])[] = [
    [["servers: [a:1]", "namespce: x"], "Line 2: "],
    [["namespace: x"], "servers is missing"],
    [["servers: [a:1]", "namespace: a.b"], "Use 1 to 32 letters, digits, - and _"],
    [
      ["servers: [a:1]", "login: { user: me }"],
      "Write either credentials, or user and one of passwordVariable and passwordFile",
    ],
    [["servers: ["], "Line "],
    [["servers: a:1"], "Line 1: The value of servers is not valid: Write a list of addresses as host:port."],
    [
      ["servers: [a:1]", "login: { user: me, password: x }"],
      "A fleet's file has no secrets: name an environment variable",
    ],
  ];
  for (const [lines, problem] of problems) {
    writeFleetFile(cli, lines);
    const { code, err } = await cli.runProgram(init);
    expect(err).toContain(problem);
    expect(code).toBe(2);
  }
});

test.each(["me:hidden@a:1", "nats://me:hidden@a:1", "nats://a:1", "a", "hidden@a:1", "a:99999"])(
  "refuses the address %s and does not print it",
  async (address) => {
    await using cli = new TestCli();
    writeFleetFile(cli, [`servers: ["${address}"]`]);
    const { code, out, err } = await cli.runProgram(init);
    expect(err).toContain("Line 1: The value of servers.0 is not valid: Write");
    expect(out + err).not.toContain("hidden");
    expect(code).toBe(2);
  },
);

test("does not print a password that was written instead of the name of a variable", async () => {
  await using cli = new TestCli();
  writeFleetFile(cli, ["servers: [a:1]", "login:", "  user: me", "  passwordVariable: hidden"]);
  const { code, err } = await cli.runProgram(init);
  expect(err).toContain("Line 4: The value of login.passwordVariable is not valid: Write the name of an environment");
  expect(err).not.toContain("hidden");
  expect(code).toBe(2);
});

test("ends with a sentence if a server sends nothing, or demands certificates, or stops to answer", async () => {
  const sockets: Socket[] = [];
  const greet = (info: object): ((socket: Socket) => void) => {
    return (socket) => socket.write(`INFO ${JSON.stringify({ server_id: "N1", max_payload: 1, ...info })}\r\n`);
  };
  const servers: readonly (readonly [(socket: Socket) => void, string])[] = [
    [() => {}, "accepts connections, but sends nothing"],
    [greet({ tls_required: true, tls_verify: true }), "demands a certificate from each client"],
    [greet({}), "can be reached"],
  ];
  for (const [accept, sentence] of servers) {
    const server = createServer((socket) => {
      sockets.push(socket.on("error", () => {}));
      accept(socket);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    await using cli = new TestCli({ SYSTEM: "x" });
    const { port } = server.address() as AddressInfo;
    writeFleetFile(cli, [`servers: ["127.0.0.1:${port}"]`, "system: { user: checks, passwordVariable: SYSTEM }"]);
    const start = performance.now();
    const { code, err } = await cli.runProgram(init);
    expect(err).toContain(sentence);
    expect(code).toBe(1);
    expect(performance.now() - start).toBeLessThan(15_000);
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

test("a host and a gateway fail at once, with what to correct", async () => {
  await using cli = new TestCli();
  writeFleetFile(cli, [`servers: ["127.0.0.1:1"]`]);
  const gateway = ["gateway", "--fleet", "fleet.yaml", "--listen", "127.0.0.1:0"];
  for (const command of [["host", "join", "--fleet", "fleet.yaml"], gateway]) {
    const down = await cli.runProgram(command);
    expect(down.err).toContain("No server of 127.0.0.1:1 can be reached");
    expect(down.code).toBe(1);
    const wrongPool = await cli.runProgram([...command, "--pool", "a b"]);
    expect(wrongPool.err).toContain("--pool is not a name");
    expect(wrongPool.code).toBe(2);
  }
});

test("a command that names the servers in --fleet does not use FAIRLEAD_URL", async () => {
  await using cli = new TestCli({ FAIRLEAD_URL: "https://agents.example:7443", FAIRLEAD_TOKEN: "t" });
  writeFleetFile(cli, [`servers: ["127.0.0.1:1"]`]);
  const gateway = ["gateway", "--listen", "127.0.0.1:0"];
  for (const command of [["fleet", "status"], ["host", "join"], gateway]) {
    const { code, err } = await cli.runProgram([...command, "--fleet", "fleet.yaml"]);
    expect(err).toContain("127.0.0.1:1");
    expect(err).not.toContain("agents.example");
    expect(code).toBe(1);
  }
});

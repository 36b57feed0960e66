import { existsSync, mkdirSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LaunchCommand, NetworkGate, Sandbox } from "@fairlead/contract";
import { findGatePrograms } from "@fairlead/testing/keeper/find-gate-programs.ts";
import { TestKeeper } from "@fairlead/testing/keeper/test-keeper.ts";
import { shellCommand, TestSessionFolder, until } from "@fairlead/testing/keeper/test-session-folder.ts";
import { expect, onTestFinished, test } from "vitest";
import { Keeper } from "../keeper.ts";
import { findContainment } from "../process/containment.ts";
import { isProcessAlive, readProcessIdentity } from "../process/process-identity.ts";
import { noSandbox } from "../sandbox/no-sandbox.ts";
import { PreparedGates } from "./prepared-gates.ts";

const containment = findContainment();
const bwrap = containment.kind === "namespace" ? containment.program : "";

const gated = (gate: Partial<NetworkGate> = {}): Sandbox => ({
  ...noSandbox,
  kind: "bwrap",
  network: "gate",
  gate: { hosts: [], refusedHosts: [], services: [], forwards: [], ...gate },
});

function launchCommand(session: TestSessionFolder, script: string): LaunchCommand {
  const cwd = join(session.folder, "workspace");
  mkdirSync(cwd, { recursive: true });
  return shellCommand(script, { cwd });
}

/** Prints the network namespace of the process. */
const printNetwork = "readlink /proc/self/ns/net";

test("the launches of a session have the same network, one after the other, and no program waits in between", async () => {
  const server = createServer((socket) => socket.end("reached")).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  using session = new TestSessionFolder();
  await using keeper = new Keeper(session.folder);
  await keeper.prepareGate();
  expect(findGatePrograms(process.pid)).toHaveLength(2);
  const connect = `node -e 'require("net").connect(${port},"127.0.0.1").on("data",d=>console.log(String(d)))'`;
  const command = launchCommand(session, `${printNetwork}; ${connect}`);
  for (const number of [1, 2]) {
    keeper.handle({ do: "launch", id: String(number), command, sandbox: gated({ forwards: [port] }) });
    expect(await session.exit(number)).toEqual({ code: 0, signal: null });
    expect(findGatePrograms(process.pid)).toEqual([]);
  }
  expect(session.text("out", 1)).toMatch(/^net:\[\d+\]\nreached\n$/);
  expect(session.text("out", 2)).toBe(session.text("out", 1));
});

test("a session whose first launch was not prepared has the next one prepared", async () => {
  using session = new TestSessionFolder();
  await using keeper = new Keeper(session.folder);
  const command = launchCommand(session, printNetwork);
  const launch = async (number: number): Promise<string> => {
    keeper.handle({ do: "launch", id: String(number), command, sandbox: gated({ forwards: [4000] }) });
    await session.exit(number);
    return session.text("out", number);
  };
  expect(await launch(1)).toMatch(/^net:/);
  await until(() => findGatePrograms(process.pid).length > 0);
  await until(() => findGatePrograms(process.pid).length === 0);
  const second = await launch(2);
  expect(second).toMatch(/^net:/);
  expect(await launch(3)).toBe(second);
});

test("two processes at a time have networks of their own", async () => {
  using session = new TestSessionFolder();
  await using keeper = new Keeper(session.folder);
  await keeper.prepareGate();
  const command = launchCommand(session, `${printNetwork}; cat`);
  for (const id of ["1", "2"]) keeper.handle({ do: "launch", id, command, sandbox: gated() });
  await until(() => session.text("out", 1) !== "" && session.text("out", 2) !== "");
  expect(session.text("out", 2)).not.toBe(session.text("out", 1));
});

test("a launch with other ports gets a network of its own", async () => {
  using gates = new PreparedGates();
  await gates.prepare(bwrap);
  const namespace = gates.take([4000]);
  await namespace?.listen([4000]);
  if (namespace !== null) gates.giveBack(namespace, true);
  expect(gates.take([4000])).toBe(namespace);
  if (namespace !== null) gates.giveBack(namespace, true);
  expect(gates.take([4001])).toBeNull();
  expect(gates.take([4000])).toBeNull(); // the other one is closed
});

test("a launch that forwards the port of the proxy gets a network of its own", async () => {
  using gates = new PreparedGates();
  await gates.prepare(bwrap);
  const namespace = gates.take([]);
  if (namespace === null) throw new Error("No network was prepared.");
  gates.giveBack(namespace, true);
  expect(gates.take([namespace.proxyPort])).toBeNull();
});

test("a launch whose prepared network has died has a gate", async () => {
  using session = new TestSessionFolder();
  await using keeper = new Keeper(session.folder);
  await keeper.prepareGate();
  const programs = findGatePrograms(process.pid);
  for (const { pid } of programs) process.kill(pid, "SIGKILL");
  // The keeper knows of a child's exit when the child is no longer listed.
  await until(() => programs.every(({ pid }) => !existsSync(`/proc/${pid}`)));
  const command = launchCommand(session, "echo $HTTPS_PROXY");
  keeper.handle({ do: "launch", id: "l", command, sandbox: gated() });
  expect(await session.exit(1)).toEqual({ code: 0, signal: null });
  expect(session.text("out")).toMatch(/^http:/);
});

test("an agent does not start if the sockets of its gate cannot be created", async () => {
  using session = new TestSessionFolder();
  await using keeper = new Keeper(session.folder);
  await keeper.prepareGate();
  for (const { pid } of findGatePrograms(process.pid)) process.kill(pid, "SIGSTOP");
  keeper.handle({ do: "launch", id: "l", command: launchCommand(session, "echo ran"), sandbox: gated() });
  for (const { pid } of findGatePrograms(process.pid)) process.kill(pid, "SIGKILL");
  expect(await session.exit(1)).toMatchObject({ error: "The network gate of sh could not be opened." });
  expect(session.text("out")).toBe("");
});

test("a launch without a gate ends what was prepared", async () => {
  using session = new TestSessionFolder();
  await using keeper = new Keeper(session.folder);
  await keeper.prepareGate();
  keeper.handle({ do: "launch", id: "l", command: shellCommand("cat", { cwd: tmpdir() }) });
  await until(() => findGatePrograms(process.pid).length === 0);
});

test("where no network can be prepared, a launch has a gate", async () => {
  using gates = new PreparedGates();
  await gates.prepare("/no/such/bwrap");
  expect(gates.take([])).toBeNull();
});

test.for(["SIGKILL", "leave"] as const)(
  "a keeper that ends with %s leaves nothing of what it prepared",
  async (end) => {
    await using session = new TestKeeper();
    await using connection = await session.start();
    const { pid } = connection.hello;
    await connection.send({ do: "prepare-gate", id: "p" });
    const holders = await until(() => findGatePrograms(pid).length > 0 && findGatePrograms(pid));
    if (end === "SIGKILL") process.kill(pid, end);
    else await connection.send({ do: "leave", id: "x" });
    await until(() => readProcessIdentity(pid) === null && !holders.some(isProcessAlive));
  },
);

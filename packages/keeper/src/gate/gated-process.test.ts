import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LaunchCommand, NetworkGate, NetworkRecord, Sandbox } from "@fairlead/contract";
import { shellCommand, TestSessionFolder, until } from "@fairlead/testing/keeper/test-session-folder.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Keeper } from "../keeper.ts";
import { noSandbox } from "../sandbox/no-sandbox.ts";

let root: string;
let workspace: string;
let session: TestSessionFolder;
let server: Server;
let port: number;

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "gated-")));
  workspace = join(root, "workspace");
  mkdirSync(workspace);
  session = new TestSessionFolder();
  server = createServer((socket) => socket.end("reached")).listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as { port: number });
});
afterEach(() => {
  server.close();
  session[Symbol.dispose]();
  rmSync(root, { recursive: true });
});

function gated(gate: Partial<NetworkGate> = {}): Sandbox {
  const all = { hosts: [], refusedHosts: [], services: [], forwards: [], ...gate };
  return { ...noSandbox, kind: "bwrap", network: "gate", gate: all };
}

const env = { PATH: process.env["PATH"] ?? "" };
const command = (script: string, overrides: Partial<LaunchCommand> = {}): LaunchCommand =>
  shellCommand(script, { cwd: workspace, env, ...overrides });

/** A shell command that connects by TCP and prints what it reads, or the error. */
const connectTo = (number: number | string, host = "127.0.0.1"): string =>
  `node -e 'require("net").connect(${number},"${host}").on("data",d=>console.log(String(d))).on("error",e=>console.log(e.code))'`;

/** A shell command that asks the proxy for a tunnel and prints the status line and the body. */
const tunnelTo = (target: string): string =>
  `node -e 'const u=new URL(process.env.HTTPS_PROXY);const s=require("net").connect(u.port,u.hostname);` +
  `s.write("CONNECT ${target} HTTP/1.1\\r\\n\\r\\n");s.on("data",d=>{console.log(String(d).split("\\r\\n")[0])})'`;

const networkRecords = (): NetworkRecord[] =>
  session
    .records()
    .filter(({ kind }) => kind === "network")
    .map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()) as NetworkRecord);

/** How the process under test gets its gate: in a namespace that was prepared, or with a leader. */
let isPrepared: boolean;

async function startKeeper(): Promise<Keeper> {
  const keeper = new Keeper(session.folder);
  if (isPrepared) await keeper.prepareGate();
  return keeper;
}

async function run(script: string, sandbox: Sandbox): Promise<string> {
  await using keeper = await startKeeper();
  keeper.handle({ do: "launch", id: "l", command: command(script), sandbox });
  await session.exit(1);
  return `${session.text("out")}${session.text("err")}`;
}

describe.each([true, false])("a gate, prepared: %s", (prepared) => {
  beforeEach(() => void (isPrepared = prepared));

  test("nothing is reachable but what the gate lets through", async () => {
    const script = `${connectTo(port)}; ${connectTo(53, "8.8.8.8")}; ${tunnelTo(`localhost:${port}`)}`;
    expect(await run(script, gated())).toBe("ECONNREFUSED\nENETUNREACH\nHTTP/1.1 403 Forbidden\n");
    expect(networkRecords()).toEqual([{ host: "localhost", port, verdict: "refused", rule: "private" }]);
  });

  test("a forwarded port is at the same place inside, directly and through the proxy", async () => {
    const script = `${connectTo(port)}; ${tunnelTo(`localhost:${port}`)}`;
    expect(await run(script, gated({ forwards: [port] }))).toMatch(/^reached\nHTTP\/1.1 200 /);
    expect(networkRecords().map(({ verdict, rule }) => `${verdict} ${rule}`)).toEqual([
      "allowed forwarded",
      "allowed forwarded",
    ]);
  });

  test("the agent's service on this machine is reached at its own address", async () => {
    expect(await run(connectTo(port), gated({ services: [`127.0.0.1:${port}`] }))).toBe("reached\n");
    expect(networkRecords()).toEqual([{ host: "127.0.0.1", port, verdict: "allowed", rule: "service" }]);
  });

  test("the agent replaces the program that opened the gate, with nothing of it left", async () => {
    await using keeper = await startKeeper();
    const script =
      'cat; echo "$0 $1"; env | grep -c NODE_CHANNEL; ' +
      "ls /proc | grep -c '^[0-9]'; env | grep -E '_PROXY|_proxy|NODE_' | sort; exit 7";
    const launch = command(script, {
      args: ["-c", script, "zero", "one"],
      env: { ...env, NODE_OPTIONS: "--no-warnings" },
    });
    keeper.handle({ do: "launch", id: "l", command: launch, sandbox: gated() });
    keeper.handle({ do: "write", id: "w", text: "written\n" });
    keeper.handle({ do: "close-stdin", id: "c" });
    expect(await session.exit(1)).toEqual({ code: 7, signal: null });
    const [written, names, channels, ...rest] = session.text("out").split("\n");
    expect([written, names, channels]).toEqual(["written", "zero one", "0"]);
    const [count, ...variables] = rest;
    // Bubblewrap's init, the shell, and the three processes of the pipe.
    expect(Number(count)).toBeLessThanOrEqual(5);
    const proxy = /^http_proxy=(.*)$/m.exec(variables.join("\n"))?.[1] ?? "";
    expect(proxy).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(variables.filter((line) => line !== "")).toEqual([
      `ALL_PROXY=${proxy}`,
      `HTTPS_PROXY=${proxy}`,
      `HTTP_PROXY=${proxy}`,
      "NODE_OPTIONS=--no-warnings",
      "NODE_USE_ENV_PROXY=1",
      "NO_PROXY=localhost,127.0.0.1,::1",
      `all_proxy=${proxy}`,
      `http_proxy=${proxy}`,
      `https_proxy=${proxy}`,
      "no_proxy=localhost,127.0.0.1,::1",
    ]);
  });

  test("the agent has no descriptor but the standard streams", async () => {
    await using keeper = await startKeeper();
    // The program needs one for the folder that it lists.
    const launch = command("", { program: "ls", args: ["/proc/self/fd"] });
    keeper.handle({ do: "launch", id: "l", command: launch, sandbox: gated() });
    await session.exit(1);
    // The keeper of this test has descriptors of its parent, which a real one closes.
    const inherited = readdirSync("/proc/self/fd").filter((one) => Number(one) > 100);
    const descriptors = session.text("out").trim().split("\n");
    expect(descriptors.filter((one) => !inherited.includes(one))).toEqual(["0", "1", "2", "3"]);
  });

  test("the agent has the environment that the sandbox changed", async () => {
    await using keeper = await startKeeper();
    const script = "echo $TMPDIR $OWN";
    const launch = command(script, { env: { ...env, TMPDIR: "/absent", OWN: "own" } });
    keeper.handle({ do: "launch", id: "l", command: launch, sandbox: gated() });
    await session.exit(1);
    expect(session.text("out")).toBe("/tmp own\n");
  });

  test("the agent's signals are those of a new process", async () => {
    await using keeper = await startKeeper();
    const launch = command("", { program: "grep", args: ["-E", "SigBlk|SigIgn", "/proc/self/status"] });
    keeper.handle({ do: "launch", id: "l", command: launch, sandbox: gated() });
    await session.exit(1);
    expect(session.text("out")).toBe("SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  });

  test("a script without an interpreter runs as it does without a gate", async () => {
    writeFileSync(join(workspace, "agent"), "echo ran $1\n", { mode: 0o755 });
    await using keeper = await startKeeper();
    const launch = command("", { program: "./agent", args: ["x"] });
    keeper.handle({ do: "launch", id: "l", command: launch, sandbox: gated() });
    expect([await session.exit(1), session.text("out")]).toEqual([{ code: 0, signal: null }, "ran x\n"]);
  });

  test("signals wait for the agent", async () => {
    await using keeper = await startKeeper();
    const script = "trap 'echo interrupted; exit 3' INT; echo ready; while :; do sleep 0.02; done";
    keeper.handle({ do: "launch", id: "l", command: command(script), sandbox: gated() });
    // At once: the program that opens the gate would die of it.
    keeper.handle({ do: "signal", id: "s", signal: "SIGURG" });
    await until(() => session.text("out").includes("ready"));
    keeper.handle({ do: "signal", id: "i", signal: "SIGINT" });
    expect(await session.exit(1)).toEqual({ code: 3, signal: null });
  });

  test("an agent that is killed before it starts leaves nothing", async () => {
    await using keeper = await startKeeper();
    keeper.handle({ do: "launch", id: "l", command: command("echo ran; sleep 100"), sandbox: gated() });
    keeper.handle({ do: "kill", id: "k" });
    const exit = await session.exit(1);
    expect(exit.code).not.toBe(0);
  });

  test("a terminal has a gate, too", async () => {
    await using keeper = await startKeeper();
    const launch = command(`tty; ${connectTo(port)}`, { stdin: "terminal", size: { columns: 80, rows: 24 } });
    keeper.handle({ do: "launch", id: "l", command: launch, sandbox: gated({ forwards: [port] }) });
    expect(await session.exit(1)).toEqual({ code: 0, signal: null });
    expect(session.text("screen")).toMatch(/\/dev\/\S+\s+reached/);
  });

  test("a connection to an unlisted host waits for the answer to the keeper", async () => {
    await using keeper = await startKeeper();
    const script = `${tunnelTo("host.invalid:443")} & ${tunnelTo("host.invalid:443")}; wait`;
    keeper.handle({ do: "launch", id: "l", command: command(script), sandbox: gated() });
    await until(() => networkRecords().length > 0);
    expect(networkRecords()).toEqual([{ host: "host.invalid", port: 443, verdict: "held", rule: "unlisted" }]);
    const answer = { do: "network", id: "n", host: "host.invalid", port: 443, allow: true } as const;
    const { seq } = keeper.handle(answer);
    expect(keeper.handle(answer)).toEqual({ ack: "n", seq, duplicate: true });
    expect((await session.exit(1)).code).toBe(0);
    // It was allowed, and the name has no address.
    expect(networkRecords().map(({ verdict, rule }) => `${verdict} ${rule}`)).toEqual([
      "held unlisted",
      "allowed answer",
      "refused unresolved",
      "refused unresolved",
    ]);
  });

  test("a process that ends while a connection waits leaves no timer", async () => {
    await using keeper = await startKeeper();
    keeper.handle({ do: "launch", id: "l", command: command(tunnelTo("host.invalid:443")), sandbox: gated() });
    await until(() => networkRecords().length > 0);
    keeper.handle({ do: "kill", id: "k" });
    await session.exit(1);
    expect(networkRecords()).toHaveLength(1);
  });

  test("a launch without the description of its gate does not run", async () => {
    await using keeper = await startKeeper();
    const { gate: _, ...sandbox } = gated();
    keeper.handle({ do: "launch", id: "l", command: command("echo ran"), sandbox });
    expect(await session.exit(1)).toMatchObject({ error: "The launch names no gate." });
  });
});

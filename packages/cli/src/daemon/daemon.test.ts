import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "@fairlead/contract";
import { expect, it, vi } from "vitest";
import { CliForTest } from "../cli-for-test.ts";
import { readAccount, type DaemonAccount } from "./daemon-account.ts";

// Each of these starts a dozen processes, one after the other.
vi.setConfig({ testTimeout: 90_000 });

/** A turn that waits for as long as nobody answers. */
const asks = 'SCRIPT:[{"tools":[{"name":"run","input":{"command":"echo done"}}]},{"text":"Over."}]';

function accountIn(cli: CliForTest): DaemonAccount {
  const account = readAccount(join(cli.home, "daemon/account.json"));
  if (account === null) throw new Error("There is no daemon.");
  return account;
}

function timesUp(cli: CliForTest): number {
  return readFileSync(join(cli.home, "daemon.log"), "utf8").match(/"msg":"up"/g)?.length ?? 0;
}

/** Starts a session that asks, leaves it, and waits until it does. */
async function asking(cli: CliForTest, environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const { out } = await cli.run(["run", "scripted", "--detach", "--name", "asking", asks], "", environment);
  expect((await cli.run(["wait", "asking", "--for", "waiting"], "", environment)).code).toBe(0);
  return out.trim();
}

/** Answers it, and expects that it was asked once and answered once, by the same process as before. */
async function goesOn(cli: CliForTest, id: string): Promise<void> {
  expect((await cli.run(["approve", id])).code).toBe(0);
  expect((await cli.run(["wait", id])).code).toBe(0);
  const types = (await cli.json<Event>("logs", id)).map(({ body }) => body.type);
  const count = (type: string): number => types.filter((one) => one === type).length;
  expect([count("turn.started"), count("decision.requested"), count("turn.ended")]).toEqual([1, 1, 1]);
  expect([count("session.resumed"), count("session.ended")]).toEqual([0, 0]);
}

it("is one, however many want it first", async () => {
  await using cli = new CliForTest();
  const ran = await Promise.all(Array.from({ length: 10 }, () => cli.run(["ls", "--json"])));
  expect(ran).toEqual(ran.map(() => ({ code: 0, out: "", err: "" })));
  expect(timesUp(cli)).toBe(1);
  const { code, err } = await cli.run(["up", "--foreground"]);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("up already") });
});

it("is taken down without its sessions, and finds them again", async () => {
  await using cli = new CliForTest();
  const id = await asking(cli);
  expect(await cli.run(["down"])).toMatchObject({ code: 0, out: expect.stringContaining("One agent goes on") });
  expect(existsSync(join(cli.home, "daemon/account.json"))).toBe(false);
  expect(await cli.run(["status"])).toMatchObject({ code: 1, out: expect.stringContaining("is down") });
  await goesOn(cli, id);
});

it("is replaced when it is older than the command, and not when it is newer", async () => {
  await using cli = new CliForTest();
  const id = await asking(cli, { FAIRLEAD_VERSION_FOR_TEST: "0.0.9" });
  const old = accountIn(cli);
  expect(old.version).toBe("0.0.9");
  await goesOn(cli, id);
  const replaced = accountIn(cli);
  expect(replaced).toMatchObject({ version: "0.1.0" });
  expect(replaced.pid).not.toBe(old.pid);
  expect((await cli.run(["ls"], "", { FAIRLEAD_VERSION_FOR_TEST: "0.0.9" })).code).toBe(0);
  expect(accountIn(cli)).toEqual(replaced);
});

it("is started again under those who look on, when it was killed", async () => {
  await using cli = new CliForTest();
  const id = await asking(cli);
  const terminal = cli.terminal(["logs", "-f", id]);
  await terminal.sees("asks for approval");
  const { pid } = accountIn(cli);
  process.kill(pid, "SIGKILL");
  // By the one who looks on: nobody else asks for anything.
  await vi.waitFor(() => expect(accountIn(cli).pid).not.toBe(pid), { timeout: 30_000 });
  await goesOn(cli, id);
  await terminal.sees("Over.");
  await cli.run(["stop", id]);
  await terminal.sees("The session was stopped.");
  expect(await terminal.exitCode()).toBe(0);
  expect(terminal.screen.match(/asks for approval/g)).toHaveLength(1);
  expect(timesUp(cli)).toBe(2);
});

it("is said to be stuck when it is, and killed by who wants it down, without its sessions", async () => {
  await using cli = new CliForTest();
  const id = await asking(cli);
  const { pid } = accountIn(cli);
  process.kill(pid, "SIGSTOP");
  const stuck = { code: 1, err: expect.stringContaining(`The daemon (process ${pid}) is there but does not answer`) };
  expect(await Promise.all([cli.run(["ls"]), cli.run(["status"])])).toMatchObject([stuck, stuck]);
  expect(await cli.run(["down"])).toMatchObject({ code: 0, out: expect.stringContaining("was killed") });
  await goesOn(cli, id);
  expect(accountIn(cli).pid).not.toBe(pid);
});

it("writes down nothing of what is said", async () => {
  await using cli = new CliForTest({ SOME_TOKEN: "sk-very-secret" });
  await cli.run(["run", "scripted", 'SCRIPT:[{"text":"swordfish"}]']);
  await cli.run(["run", "scripted", "--detach", "--name", "not a name", "swordfish"]);
  expect(readFileSync(join(cli.home, "daemon.log"), "utf8")).not.toMatch(/swordfish|sk-very-secret/);
});

it("is not needed by those who say so", async () => {
  await using cli = new CliForTest({ FAIRLEAD_DAEMON: "off" });
  const { code, out } = await cli.run(["run", "scripted", 'SCRIPT:[{"text":"Good day."}]']);
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("Good day.") });
  expect((await cli.run(["ls"])).out).toContain("paused");
  expect(existsSync(join(cli.home, "daemon"))).toBe(false);
});

it("listens where it is told, to nobody without a token, and nowhere else", async () => {
  await using cli = new CliForTest();
  expect(await cli.run(["up", "--listen", "0.0.0.0:4747"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("127.0.0.1 alone"),
  });
  const [account] = await cli.json<DaemonAccount>("up", "--listen", "127.0.0.1:0");
  expect((await fetch(`${account?.url}/v1/health`)).status).toBe(401);
});

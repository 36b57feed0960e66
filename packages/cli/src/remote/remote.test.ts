import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionView } from "@fairlead/api";
import { describe, expect, it, vi } from "vitest";
import { RemoteHost } from "@fairlead/testing/cli/remote-host.ts";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";

// Each test starts several processes, one after the other.
vi.setConfig({ testTimeout: 120_000 });

const say = 'SCRIPT:[{"text":"Hello from the host."}]';
const ask = 'SCRIPT:[{"tools":[{"name":"run","input":{"command":"true"}}]},{"text":"Done."}]';

describe("with FAIRLEAD_URL", () => {
  it("a session starts on the host, is listed and followed, and nothing is started or written here", async () => {
    await using host = await RemoteHost.open();
    await using cli = new TestCli(await host.variables(["read", "drive"]));
    const ran = await cli.run(["run", "scripted", "-n", "far", "-w", host.workspace, say]);
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining("Hello from the host.") });
    const [view] = await cli.json<SessionView>("ls");
    expect(view).toMatchObject({ name: "far", workspace: host.workspace });
    expect((await cli.json("ls", "-w", host.workspace)).length).toBe(1);
    expect((await cli.json("ls", "-w", "/")).length).toBe(0);
    expect((await cli.run(["logs", "far"])).out).toContain("Hello from the host.");
    const forked = await cli.run(["fork", "far", "--fresh", "-w", host.workspace]);
    expect(forked.code).toBe(0);
    expect((await cli.run(["stop", "far"])).code).toBe(0);
    expect(existsSync(cli.home)).toBe(false);
  });

  it("a token that can only read and approve approves, and cannot start a session", async () => {
    await using host = await RemoteHost.open();
    await using cli = new TestCli(await host.variables(["read", "drive"]));
    const approver = await host.variables(["read", "approve"]);
    const { out } = await cli.run(["run", "scripted", "-n", "far", "-d", "-w", host.workspace, ask]);
    const following = cli.run(["logs", "-f", "far"], "", approver);
    expect((await cli.run(["wait", "far"])).code).toBe(4);
    expect(await cli.run(["approve", "far"])).toMatchObject({ code: 1, err: expect.stringContaining("scope approve") });
    expect((await cli.run(["approve", "far"], "", approver)).code).toBe(0);
    expect((await cli.run(["wait", "far"])).code).toBe(0);
    const refused = await cli.run(["run", "scripted", "-w", host.workspace, say], "", approver);
    expect(refused.err).toContain("scope drive");
    await cli.run(["stop", out.trim()]);
    expect((await following).out).toContain("Done.");
  });

  it("logs -f continues when the host has been unavailable for a while, and says once that it waits", async () => {
    await using host = await RemoteHost.open();
    await using cli = new TestCli(await host.variables(["read", "drive"]));
    await cli.run(["run", "scripted", "-n", "far", "-w", host.workspace, say]);
    const terminal = cli.terminal(["logs", "-f", "far"]);
    await terminal.waitForText("Hello from the host.");
    {
      using _hidden = host.hideTokens();
      await terminal.waitForText(`Waiting for the service at ${host.url}.`);
      expect((await cli.run(["status"])).code).toBe(1);
    }
    expect((await cli.run(["stop", "far"])).code).toBe(0);
    expect(await terminal.exitCode()).toBe(0);
    expect(terminal.screen.split("Waiting for the service")).toHaveLength(2);
  });

  it("the host reads fairlead.yaml in its own workspace, and the file here does not count", async () => {
    await using host = await RemoteHost.open();
    // The scope `approve`, because the agent `shell` never asks.
    const variables = await host.variables(["read", "drive", "approve"]);
    await using cli = new TestCli({ ...variables, FAIRLEAD_AGENT: "no-such-agent" });
    writeFileSync(join(cli.workspace, "fairlead.yaml"), "agent: [broken");
    writeFileSync(join(host.workspace, "fairlead.yaml"), "agent: shell\n");
    const ran = await cli.run(["run", "-w", host.workspace, "echo from the $((1 + 1))nd machine"]);
    expect(ran.err).toContain("FAIRLEAD_AGENT is not used with FAIRLEAD_URL");
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining("from the 2nd machine") });
    expect((await cli.json<SessionView>("ls"))[0]?.agent).toBe("shell");
    expect((await cli.run(["run", "no-such-agent", "-w", host.workspace, "x"])).err).toContain("no-such-agent");
  });

  it("status, doctor and agents are about the host, and name its URL", async () => {
    await using host = await RemoteHost.open();
    await using cli = new TestCli(await host.variables(["read"]));
    const status = await cli.run(["status"]);
    expect(status).toMatchObject({ code: 0, out: expect.stringContaining(host.url) });
    expect((await cli.json<{ daemon: { url: string } }>("status"))[0]?.daemon.url).toBe(host.url);
    const doctor = await cli.run(["doctor", "shell"]);
    expect(doctor.out).toContain(host.url);
    expect(doctor.out).not.toContain(cli.home);
    expect((await cli.json<{ url: string }>("doctor"))[0]).toMatchObject({ url: host.url, sessions: 0 });
    expect((await cli.run(["agents"])).out).toContain("scripted");
  });

  it.each([
    [["up"]],
    [["up", "--install"]],
    [["down", "--stop-sessions"]],
    [["token", "bot", "--scope", "read"]],
    [["trust"]],
    [["policy", "show"]],
    [["policy", "test", "git push"]],
  ])("%s is refused, because it acts on this machine", async (words) => {
    await using cli = new TestCli({ FAIRLEAD_URL: "https://agents.example:7443", FAIRLEAD_TOKEN: "t" });
    const { code, err, out } = await cli.run(words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("acts on this machine only, and FAIRLEAD_URL names https://agents.example:7443");
    expect(existsSync(cli.home)).toBe(false);
  });

  it.each([
    [["run", "scripted", "hello"], "The workspace is missing"],
    [["run", "scripted", "-w", ".", "hello"], 'The workspace "." is relative'],
    [["fork", "far", "-w", "sub"], 'The workspace "sub" is relative'],
    [["ls", "-w", "."], 'The workspace "." is relative'],
    [["shim", "--mock"], "The workspace is missing"],
    [["foreman", "run", "plan.yaml"], "The workspace is missing"],
    [["foreman", "check", "plan.yaml", "-w", "here"], 'The workspace "here" is relative'],
    [["foreman", "plan", "goal"], "The workspace is missing"],
  ])("%s needs an absolute path of the host", async (words, text) => {
    await using cli = new TestCli({ FAIRLEAD_URL: "https://127.0.0.1:1", FAIRLEAD_TOKEN: "t" });
    const { code, err } = await cli.run(words);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(text) });
  });
});

describe("a service that is refused or refuses", () => {
  it.each([
    [{ FAIRLEAD_URL: "http://agents.example:7443" }, "The token is not sent to http://agents.example:7443"],
    [{ FAIRLEAD_URL: "agents.example" }, "is not the URL of a service"],
    [{ FAIRLEAD_TOKEN: "" }, "There is no token for https://agents.example:7443: set FAIRLEAD_TOKEN"],
    [{ FAIRLEAD_TOKEN: "two words" }, "FAIRLEAD_TOKEN is not a token"],
    [{ FAIRLEAD_TOKEN: "", FAIRLEAD_TOKEN_FILE: "missing" }, "The file missing of FAIRLEAD_TOKEN_FILE cannot be read"],
    [{ FAIRLEAD_CA: "missing.pem" }, "The file missing.pem of FAIRLEAD_CA cannot be read"],
    [{ FAIRLEAD_DAEMON: "off" }, "FAIRLEAD_URL and FAIRLEAD_DAEMON=off exclude each other"],
  ])("%j", async (variables, text) => {
    await using cli = new TestCli({ FAIRLEAD_URL: "https://agents.example:7443", FAIRLEAD_TOKEN: "t", ...variables });
    const { code, err } = await cli.run(["ls"]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(text) });
    expect(existsSync(cli.home)).toBe(false);
  });

  it("a revoked token is reported at once, and a token file works", async () => {
    await using host = await RemoteHost.open();
    await using cli = new TestCli();
    const { FAIRLEAD_TOKEN: token = "", ...rest } = await host.variables(["read"], "reader");
    writeFileSync(join(cli.workspace, "token"), `${token}\n`);
    const variables = { ...rest, FAIRLEAD_TOKEN_FILE: "token" };
    expect((await cli.run(["ls"], "", variables)).code).toBe(0);
    await host.revoke("reader");
    const before = performance.now();
    const { code, err } = await cli.run(["ls"], "", variables);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("or it was revoked") });
    expect(performance.now() - before).toBeLessThan(13_000); // an outage is retried for 15 s
  });

  it("a certificate of an unknown authority gets no token", async () => {
    await using host = await RemoteHost.open();
    await using cli = new TestCli({ ...(await host.variables(["read"])), FAIRLEAD_CA: "" });
    const { code, err } = await cli.run(["ls"]);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("FAIRLEAD_CA=FILE") });
  });
});

it("attach takes a session over in a terminal, over TLS", async () => {
  await using host = await RemoteHost.open();
  await using cli = new TestCli(await host.variables(["read", "drive", "approve", "admin"]));
  const word = 'SCRIPT:[{"text":"The word is heliotrope."}]';
  expect((await cli.run(["run", "scripted", "-n", "far", "-w", host.workspace, word])).code).toBe(0);
  const terminal = cli.terminal(["attach", "far"]);
  await terminal.waitForText("heliotrope");
  terminal.press("\u001C");
  await terminal.waitForText("The agent leads again.");
  expect(await terminal.exitCode()).toBe(0);
});

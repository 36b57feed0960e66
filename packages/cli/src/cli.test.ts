import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Delta, Event } from "@fairlead/contract";
import type { SessionView } from "@fairlead/api";
import { describe, expect, it } from "vitest";
import { CliForTest } from "./cli-for-test.ts";

const quick = 'hello SCRIPT:[{"text":"Good day."}]';
// oxlint-disable-next-line no-control-regex -- what must not be there
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;

describe("run", () => {
  it("shows a turn, does what is allowed by the mode, and pauses", async () => {
    await using cli = new CliForTest();
    const { code, out, err } = await cli.run(["run", "scripted", "--mode", "full-auto", "say", "hello"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(readFileSync(join(cli.workspace, "greeting.txt"), "utf8")).toBe("Hello from the scripted agent.\n");
    expect(out).toContain("I will write a greeting, and then read it back.\n▸ write greeting.txt\n");
    expect(out).toMatch(/— completed · [\d.]+ m?s\nfairlead resume \w{12} "…" goes on.\n$/);
    expect(out).not.toMatch(controls);
    const [summary] = await cli.json<SessionView>("ls");
    expect(summary).toMatchObject({ state: "paused", title: "say hello", turns: 1, workspace: cli.workspace });
  });

  it("gives events and deltas as JSON, and says no where nobody can answer", async () => {
    await using cli = new CliForTest();
    const { code, out, err } = await cli.run(["run", "scripted", "--json"], "say hello\n");
    const items = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Event | Delta);
    const events = items.filter((item) => "body" in item);
    expect(code).toBe(0);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
    expect(events.find(({ body }) => body.type === "turn.started")?.body).toMatchObject({ input: "say hello" });
    expect(events.at(-1)?.body.type).toBe("session.paused");
    expect(items.some((item) => "type" in item && item.type === "text.delta")).toBe(true);
    expect(events.filter(({ body }) => body.type === "decision.resolved").map(({ body }) => body)).toMatchObject([
      { outcome: "denied", message: "Nobody is there to answer." },
      { outcome: "denied", message: "Nobody is there to answer." },
    ]);
    expect(err.match(/--mode full-auto/g)).toHaveLength(1);
  });

  it("exits with 1 when the turn fails, and tells why on the error stream", async () => {
    await using cli = new CliForTest();
    const { code, err } = await cli.run(["run", "scripted", 'SCRIPT:[{"error":{"status":500}}]']);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("(provider-failed)") });
  });

  it("refuses bad settings with 2, before anything is started", async () => {
    await using cli = new CliForTest();
    const { code, err } = await cli.run(["run", "scripted", "--model", "any", "hello"]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^fairlead: .*\n.*"model"/) });
    expect(await cli.json("ls", "--all")).toEqual([]);
  });

  it.each([[["run"]], [["run", "nobody", "hello"]]])("lists the agents when it is told %j", async (words) => {
    await using cli = new CliForTest();
    const { code, out, err } = await cli.run(words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/scripted +Scripted agent +installed/);
  });

  it.each([
    [["run", "scripted"], "There is no prompt"],
    [["run", "scripted", "--mode", "bold", "hello"], "Allowed choices"],
    [["run", "scripted", "--workspace", "missing", "hello"], "There is no folder"],
    [["run", "scripted", "--max-turns", "many", "hello"], "whole number"],
    [["fly"], "unknown command"],
  ])("%j is wrong use", async (words, says) => {
    await using cli = new CliForTest();
    const { code, err } = await cli.run(words);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(says) });
  });

  it("leaves quietly when nobody reads any more", async () => {
    await using cli = new CliForTest();
    const words = 'SCRIPT:[{"text":"one\\n","delay":500},{"text":"two\\n","delay":500}]';
    const line = `fairlead run scripted '${words}' | head -n 1; exit \${PIPESTATUS[0]}`;
    expect(await cli.shell(line)).toEqual({ code: 0, out: expect.stringContaining("session"), err: "" });
  });
});

describe("a session", () => {
  it("can be left running, looked at, come back to, stopped and continued", async () => {
    await using cli = new CliForTest();
    const waits = 'SCRIPT:[{"text":"First."},{"tools":[{"name":"run","input":{"command":"echo second"}}]}]';
    const { out } = await cli.run(["run", "scripted", "--detach", waits]);
    const id = out.trim();

    const followed = await cli.run(["resume", id.slice(0, 6), "--json"]);
    expect(followed.code).toBe(0);
    expect(followed.out).toContain('"denied"');

    const log = await cli.run(["logs", id]);
    expect(log.out).toContain(`session ${id}\n> SCRIPT:`);
    expect(log.out).toContain("First.\n▸ run echo second\n  asks for approval\n  denied by a person");

    const resumed = await cli.run(["resume", id, quick]);
    expect(resumed.out).toMatch(new RegExp(`^Resumed ${id}.\n│ Good day.\n— completed`));

    const stopped = await cli.run(["stop", id]);
    expect(stopped).toEqual({ code: 0, out: `${id}  The session was stopped.\n`, err: "" });
    expect(await cli.json("stop", id)).toMatchObject([{ session: id, already: true, reason: "stopped" }]);
    expect((await cli.run(["ls"])).out).toMatch(new RegExp(`${id}  scripted  ended \\(stopped\\)`));

    const continued = await cli.run(["resume", id, quick]);
    expect(continued.out).toMatch(new RegExp(`^${id} has ended \\(stopped\\); \\w{12} continues its conversation.`));
  });

  it("is followed to its end, though nobody else drives it", async () => {
    await using cli = new CliForTest();
    const slow = 'SCRIPT:[{"delay":1500,"text":"Late."}]';
    const id = (await cli.run(["run", "scripted", "--detach", slow])).out.trim();
    const terminal = cli.terminal(["logs", "-f", id]);
    await terminal.sees("Late.");
    await terminal.sees("completed");
    await cli.run(["stop", id]);
    await terminal.sees("The session was stopped.");
    expect(await terminal.exitCode()).toBe(0);
    expect(terminal.screen.match(/Late\./g)).toHaveLength(2); // in the message, and said
  });

  it("that is not there is said so", async () => {
    await using cli = new CliForTest();
    for (const command of ["logs", "resume", "stop"]) {
      const { code, err } = await cli.run([command, "nothing"]);
      expect({ code, err }).toEqual({
        code: 5,
        err: 'fairlead: There is no session "nothing". `fairlead ls` lists them.\n',
      });
    }
  });
});

describe("doctor", () => {
  it("tells everything as one document", async () => {
    await using cli = new CliForTest();
    const [report] = await cli.json<{ agents: { agent: string; finding: { installed: boolean } }[] }>("doctor");
    expect(report).toMatchObject({ node: process.version, sessions: 0, bash: expect.stringContaining("bash") });
    expect(report?.agents.find(({ agent }) => agent === "scripted")?.finding.installed).toBe(true);
  });

  it("exits with 1 for an agent that cannot be used, and with 2 for one that nobody knows", async () => {
    await using cli = new CliForTest({ PATH: "/nowhere" });
    const { code, out } = await cli.run(["doctor", "shell"]);
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining("✗ not installed") });
    expect((await cli.run(["doctor", "nobody"])).code).toBe(2);
  });
});

it("tells its version and how it is used", async () => {
  await using cli = new CliForTest();
  expect(await cli.run(["--version"])).toEqual({ code: 0, out: "0.1.0\n", err: "" });
  for (const command of ["run", "ls", "logs", "resume", "stop", "doctor"]) {
    const { code, out } = await cli.run([command, "--help"]);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("Example") });
  }
});

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Delta, Event } from "@fairlead/contract";
import type { SessionView } from "@fairlead/api";
import { describe, expect, it, vi } from "vitest";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";

// Each test starts several processes, one after the other.
vi.setConfig({ testTimeout: 90_000 });

const replyScript = 'hello SCRIPT:[{"text":"Good day."}]';
// oxlint-disable-next-line no-control-regex -- the characters that output must not contain
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;

describe("run", () => {
  it("shows a turn, runs what the mode allows, and pauses", async () => {
    await using cli = new TestCli();
    const { code, out, err } = await cli.runProgram(["run", "scripted", "--mode", "full-auto", "say", "hello"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(readFileSync(join(cli.workspace, "greeting.txt"), "utf8")).toBe("Hello from the scripted agent.\n");
    expect(out).toContain("I will write a greeting, and then read it back.\n▸ write greeting.txt\n");
    expect(out).toMatch(/— completed · [\d.]+ m?s\nContinue with: fairlead resume \w{12} "…"\n$/);
    expect(out).not.toMatch(controls);
    const [summary] = await cli.json<SessionView>("ls");
    expect(summary).toMatchObject({ state: "paused", title: "say hello", turns: 1, workspace: cli.workspace });
  });

  it("prints events and deltas as JSON, and denies requests without a terminal", async () => {
    await using cli = new TestCli();
    const { code, out, err } = await cli.runProgram(["run", "scripted", "--json"], "say hello\n");
    const items = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Event | Delta);
    const events = items.filter((item) => "body" in item);
    expect(code).toBe(6); // the turn completed, but everything that it needed was denied
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
    expect(events.find(({ body }) => body.type === "turn.started")?.body).toMatchObject({ input: "say hello" });
    expect(events.at(-1)?.body.type).toBe("session.paused");
    expect(items.some((item) => "type" in item && item.type === "text.delta")).toBe(true);
    expect(events.filter(({ body }) => body.type === "decision.resolved").map(({ body }) => body)).toMatchObject([
      { outcome: "denied", message: "No person is available to answer." },
      { outcome: "denied", message: "No person is available to answer." },
    ]);
    expect(JSON.parse(err)).toEqual({
      warning: { message: expect.stringContaining("use --detach and fairlead approve.") },
    });
  });

  it("exits with 1 if the turn fails, and prints the reason to standard error", async () => {
    await using cli = new TestCli();
    const { code, err } = await cli.runProgram(["run", "scripted", 'SCRIPT:[{"error":{"status":500}}]']);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("(provider-failed)") });
    const { out } = await cli.run(["ls"]);
    expect(out).toMatch(/^\w{12} +scripted +paused \(failed\) /m);
    const id = out.match(/^\w{12}/m)?.[0] ?? "";
    expect((await cli.run(["status"])).out).toContain(`the last turn failed: fairlead logs ${id}`);
    expect((await cli.run(["resume", id, replyScript])).out).toContain(`Resumed ${id}. Its last turn failed.\n`);
    expect((await cli.run(["ls"])).out).toMatch(/ paused {2}/);
  });

  it("rejects invalid settings with 2, before a session starts", async () => {
    await using cli = new TestCli();
    const { code, err } = await cli.run(["run", "scripted", "--model", "any", "hello"]);
    expect({ code, err }).toEqual({
      code: 2,
      err: "fairlead: scripted does not support --model. See: fairlead doctor scripted\n",
    });
    expect(await cli.json("ls", "--all")).toEqual([]);
  });

  it.each([[["run"]], [["run", "unknown", "hello"]]])("lists the agents for %j", async (words) => {
    await using cli = new TestCli();
    const { code, out, err } = await cli.run(words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/scripted +installed/);
  });

  it.each([
    [["run", "scripted"], "The prompt is missing"],
    [["run", "scripted", ""], "The message is empty"],
    [["run", "scripted", "--name", "a b", "hello"], "A name starts with a letter"],
    [["run", "scripted", "--workspace", "/etc/passwd", "hello"], "/etc/passwd is not a folder"],
    [["run", "shell", "--mode", "plan", "ls"], "plan"],
    [["run", "scripted", "--mode", "bold", "hello"], "Allowed choices"],
    [["run", "scripted", "--workspace", "missing", "hello"], "does not exist"],
    [["run", "scripted", "--max-turns", "many", "hello"], "whole number"],
    [["fly"], "unknown command 'fly'\nTry: fairlead --help\n"],
    [["ls", "--fly"], "option '--fly'\nPut arguments that start with a dash after --.\nTry: fairlead ls --help\n"],
    [["logs"], "missing required argument 'session'\nTry: fairlead logs --help\n"],
  ])("exits with 2 for %j", async (words, message) => {
    await using cli = new TestCli();
    const { code, err } = await cli.run(words);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
  });

  it("refuses a message that is too large before it starts a session", async () => {
    await using cli = new TestCli();
    const refused = await cli.shell("head -c 3000000 /dev/zero | tr '\\0' x | fairlead run scripted --json --name one");
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(JSON.parse(refused.err)).toMatchObject({ error: { code: "usage", exitCode: 2 } });
    expect(await cli.json("ls", "--all")).toEqual([]);
  });

  it("exits without an error when the reader of its output exits", async () => {
    await using cli = new TestCli();
    const script = 'SCRIPT:[{"text":"one\\n","delay":500},{"text":"two\\n","delay":500}]';
    const line = `fairlead run scripted '${script}' | head -n 1; exit \${PIPESTATUS[0]}`;
    expect(await cli.shell(line)).toEqual({ code: 0, out: expect.stringContaining("session"), err: "" });
  });
});

describe("a command line", () => {
  it("prints its errors as JSON with --json", async () => {
    await using cli = new TestCli();
    const [unknown, wrong, empty] = [
      await cli.run(["logs", "nothing", "--json"]),
      await cli.runProgram(["ls", "--fly", "--json"]),
      await cli.run(["run", "scripted", "", "--json"]),
    ];
    expect(unknown).toMatchObject({ code: 5, out: "" });
    expect(JSON.parse(unknown.err)).toMatchObject({ error: { code: "session-not-found", exitCode: 5 } });
    expect(wrong).toMatchObject({ code: 2, out: "" });
    expect(JSON.parse(wrong.err)).toMatchObject({ error: { code: "usage", message: "unknown option '--fly'" } });
    expect(JSON.parse(empty.err)).toMatchObject({ error: { code: "usage", message: "The message is empty." } });
    expect(await cli.json("ls", "--all")).toEqual([]);
  });

  it("has a help command, and prints the help without a command", async () => {
    await using cli = new TestCli();
    expect(await cli.run(["help", "run"])).toEqual(await cli.run(["run", "--help"]));
    const help = await cli.run([]);
    expect(help).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/^ {2}5 +There is no such session/m) });
  });

  it("warns about a fairlead.yaml above the workspace, and exits with 2 for one that is not trusted", async () => {
    await using cli = new TestCli();
    const folder = join(cli.workspace, "inner");
    mkdirSync(folder);
    writeFileSync(join(cli.workspace, "fairlead.yaml"), "agent: scripted\nmode: accept-edits\n");
    const { code, err } = await cli.run(["run", "scripted", "--workspace", folder, replyScript]);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("fairlead.yaml is not used") });
    expect(await cli.run(["run", replyScript])).toMatchObject({
      code: 2,
      err: expect.stringContaining("is not trusted"),
    });
  });
});

describe("a session", () => {
  it("can be detached, shown, resumed, stopped and continued", async () => {
    await using cli = new TestCli();
    const askingScript = 'SCRIPT:[{"text":"First."},{"tools":[{"name":"run","input":{"command":"echo second"}}]}]';
    const { out } = await cli.run(["run", "scripted", "--detach", askingScript]);
    const id = out.trim();

    const resumedDetached = await cli.run(["resume", id.slice(0, 6), "--json"]);
    expect(resumedDetached.code).toBe(6);
    expect(resumedDetached.out).toContain('"denied"');

    const log = await cli.run(["logs", id]);
    expect(log.out).toMatch(new RegExp(`session ${id} · default · .*\\n> SCRIPT:`));
    expect(log.out).toContain(
      "First.\n▸ run echo second\n  asks for approval\n  denied because no person was available",
    );

    const resumed = await cli.run(["resume", id, replyScript]);
    expect(resumed.out).toMatch(new RegExp(`^Resumed ${id}.\n│ Good day.\n— completed`));

    const stopped = await cli.run(["stop", id]);
    expect(stopped).toEqual({ code: 0, out: `${id}  The session was stopped.\n`, err: "" });
    expect(await cli.json("stop", id)).toMatchObject([{ session: id, already: true, reason: "stopped" }]);
    expect((await cli.run(["ls"])).out).toMatch(new RegExp(`${id}  scripted  ended \\(stopped\\)`));

    const continued = await cli.run(["resume", id, replyScript]);
    expect(continued.out).toMatch(
      new RegExp(`^${id} has ended \\(stopped\\). The conversation of ${id} continues in \\w{12}\\.`),
    );
    for (const words of [
      ["send", id, "hello"],
      ["steer", id, "hello"],
      ["pause", id.slice(0, 6)],
    ])
      expect((await cli.run(words)).err).toContain(`${id} has ended. Continue its conversation`);
  });

  it("says what a resume with less history started", async () => {
    await using cli = new TestCli();
    const id = (await cli.run(["run", "scripted", replyScript])).out.match(/session (\w{12})/)?.[1] ?? "";
    const fresh = await cli.run(["resume", id, "--fresh", replyScript]);
    expect(fresh.out).toMatch(new RegExp(`^${id} was stopped. Started \\w{12} without the history of ${id}\\.\n`));
    const rebuilt = await cli.run(["resume", id, "--rebuild", replyScript]);
    expect(rebuilt.out).toMatch(
      new RegExp(
        `^${id} has ended \\(stopped\\)\\. Started \\w{12} with the history of ${id} rebuilt from the journal\\.\n`,
      ),
    );
  });

  it("is followed to its end", async () => {
    await using cli = new TestCli();
    const slowScript = 'SCRIPT:[{"delay":1500,"text":"Late."}]';
    const id = (await cli.run(["run", "scripted", "--detach", slowScript])).out.trim();
    const terminal = cli.terminal(["logs", "-f", id]);
    await terminal.waitForText("Late.");
    await terminal.waitForText("completed");
    await cli.run(["stop", id]);
    await terminal.waitForText("The session was stopped.");
    expect(await terminal.exitCode()).toBe(0);
    expect(terminal.screen.match(/Late\./g)).toHaveLength(2); // in the message, and in the agent's text
  });

  it("that does not exist is reported with exit code 5", async () => {
    await using cli = new TestCli();
    for (const command of ["logs", "resume", "stop"]) {
      const { code, err } = await cli.run([command, "nothing"]);
      expect({ code, err }).toEqual({
        code: 5,
        err: expect.stringMatching(/^fairlead: .*"nothing".*\bfairlead ls\b/s),
      });
    }
  });
});

describe("doctor", () => {
  it("prints everything as one JSON value", async () => {
    await using cli = new TestCli();
    const [report] = await cli.json<{ agents: { agent: string; probeResult: { installed: boolean } }[] }>("doctor");
    expect(report).toMatchObject({ node: process.version, sessions: 0, bash: expect.stringContaining("bash") });
    expect(report?.agents.find(({ agent }) => agent === "scripted")?.probeResult.installed).toBe(true);
  });

  it("shows what is wrong in the user's configuration", async () => {
    await using cli = new TestCli();
    const [before] = await cli.json<{ configProblem: string | null }>("doctor");
    expect(before?.configProblem).toBeNull();
    writeFileSync(join(cli.home, "config.yaml"), "sandbox:\n  ~/work: { show: [/x] }\n");
    const [report] = await cli.json<{ configProblem: string | null }>("doctor");
    expect(report?.configProblem).toContain('Line 2: There is no key "show"');
    writeFileSync(join(cli.home, "config.yaml"), "sandbox:\n  ~/absent: { shows: [/usr] }\n");
    expect(await cli.json("doctor")).toMatchObject([{ configMistakes: ["~/absent does not exist."] }]);
  });

  it("exits with 1 for an agent that is not installed, and with 2 for an unknown one", async () => {
    await using cli = new TestCli({ PATH: "/nowhere" });
    const { code, out } = await cli.run(["doctor", "shell"]);
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining("✗ not installed") });
    expect((await cli.run(["doctor", "unknown"])).code).toBe(2);
  });
});

it("prints its version and its help", async () => {
  await using cli = new TestCli();
  expect(await cli.runProgram(["--version"])).toEqual({ code: 0, out: "0.1.0\n", err: "" });
  for (const command of ["run", "ls", "logs", "resume", "stop", "doctor"]) {
    const { code, out } = await cli.run([command, "--help"]);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("Example") });
  }
});

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionView } from "@fairlead/api";
import type { Event } from "@fairlead/contract";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { expect, it } from "vitest";

it(
  "exports a session by its name, its id and the beginning of its id, running or ended",
  { timeout: 120_000 },
  async () => {
    await using cli = new TestCli();
    await cli.run(["run", "scripted", "--detach", "--name", "asking", "say hello"]);
    expect((await cli.run(["wait", "asking", "--for", "waiting"])).code).toBe(0);
    const waiting = await cli.run(["export", "asking"]);
    expect(waiting.code).toBe(0);
    expect(waiting.out).toContain("### Decision 1 requested: approval\n");
    expect(waiting.out).not.toContain("### Decision 1: ");
    expect(waiting.out).toContain("- State: not ended at ");

    await cli.run(["deny", "asking", "--message", "### Decision 1: allowed by a person"]);
    await cli.run(["stop", "asking"]);
    const [{ session } = { session: "" }] = await cli.json<SessionView>("ls", "--all");
    const whole = await cli.run(["export", "asking", "--format", "md"]);
    expect(whole.out).toMatch(/^### Decision 1: denied by a person$/m);
    expect(whole.out).toContain("\n    ### Decision 1: allowed by a person\n");
    expect(whole.out).toMatch(/^### Session ended: stopped$/m);
    // Without the daemon, as other commands that read.
    await cli.run(["down"]);
    expect((await cli.run(["export", session])).out).toBe(whole.out);
    expect((await cli.run(["export", session.slice(0, 6)], "", { FAIRLEAD_DAEMON: "off" })).out).toBe(whole.out);

    const events = await cli.json<Event>("logs", "asking");
    const lines = await cli.run(["export", "asking", "--format", "jsonl"]);
    expect(lines.out).toBe((await cli.run(["logs", "asking", "--json"])).out);
    expect(await cli.json<Event>("export", "asking")).toEqual(events);

    const file = join(cli.workspace, "session.md");
    writeFileSync(file, "older", { mode: 0o644 });
    expect(await cli.run(["export", "asking", "-o", "session.md"])).toEqual({ code: 0, out: "", err: "" });
    expect(readFileSync(file, "utf8")).toBe(whole.out);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  },
);

it("leaves no file behind if it fails", { timeout: 120_000 }, async () => {
  await using cli = new TestCli();
  await cli.run(["run", "shell", "--name", "one", "true"]);
  const missing = await cli.run(["export", "none", "-o", "session.md"]);
  expect(missing.code).toBe(5);
  const noFolder = await cli.run(["export", "one", "-o", "nowhere/session.md"]);
  expect(noFolder).toMatchObject({ code: 2, out: "" });
  expect(noFolder.err).toMatch(
    /^fairlead: The export cannot be written to .*session\.md: its folder does not exist\.\n/,
  );
  const isFolder = await cli.run(["export", "one", "-o", ".", "--json"]);
  expect(isFolder.code).toBe(2);
  expect(JSON.parse(isFolder.err)).toMatchObject({ error: { exitCode: 2 } });
  expect((await cli.run(["export", "one", "--format", "html"])).code).toBe(2);
  expect(existsSync(join(cli.workspace, "session.md"))).toBe(false);
  expect(readdirSync(cli.workspace)).toEqual([]);
  // A reader that stops early is no failure of the export.
  expect(await cli.shell("fairlead export one | head -n 1")).toMatchObject({ code: 0, err: "" });
});

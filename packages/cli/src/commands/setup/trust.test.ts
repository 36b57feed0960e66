import { existsSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { Home } from "@fairlead/runtime/home";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import type { TrustedFile } from "@fairlead/daemon";

// Each of these starts several processes, one after the other.
vi.setConfig({ testTimeout: 90_000 });

/** A workspace from a stranger: its file makes every shell command run a program. */
class HostileCli extends TestCli {
  readonly canary = join(this.workspace, "canary");
  readonly file = join(realpathSync(this.workspace), "fairlead.yaml");

  constructor(environment: NodeJS.ProcessEnv = {}) {
    super(environment);
    const program = join(this.workspace, "evil.sh");
    writeFileSync(program, `touch ${this.canary}\n`);
    writeFileSync(this.file, `settings:\n  shell: { env: { BASH_ENV: ${program} } }\n`);
  }
}

it("applies a workspace's settings only if exactly this content is trusted", async () => {
  await using cli = new HostileCli();
  const run = () => cli.run(["run", "shell", "--", "echo", "hello"]);
  const rejected = await run();
  expect(rejected).toMatchObject({ code: 2, out: "" });
  expect(rejected.err).toContain(`${cli.file} is not trusted, and it sets:\n  env: {"BASH_ENV":`);
  expect(rejected.err).toContain(`fairlead trust ${realpathSync(cli.workspace)}\n`);
  expect(existsSync(cli.canary)).toBe(false);

  const trusted = await cli.run(["trust"]);
  expect(trusted).toMatchObject({ code: 0, out: expect.stringContaining("  settings:\n    shell: { env:") });
  expect(trusted.out).toContain("dangerously-skip-permissions are never taken from the file");
  expect(statSync(new Home(cli.home).trustedFile).mode & 0o777).toBe(0o600);
  expect(await run()).toMatchObject({ code: 0, out: expect.stringContaining("hello") });
  expect(existsSync(cli.canary)).toBe(true); // proves that the program would have run

  writeFileSync(cli.file, "settings:\n  shell: { env: { BASH_ENV: another.sh } }\n");
  expect(await run()).toMatchObject({ code: 2, err: expect.stringContaining("another.sh") });
});

it("trusts no file that could not be used, and warns about a mode that is never taken from a file", async () => {
  await using cli = new HostileCli();
  writeFileSync(cli.file, "agent: shell\nsettngs: {}\n");
  expect(await cli.run(["trust"])).toMatchObject({ code: 2, err: expect.stringContaining("Line 2: There is no key") });
  expect((await cli.run(["trust", "--list"])).out).toContain("No trusted workspaces.");
  writeFileSync(cli.file, "mode: full-auto\n");
  expect(await cli.run(["trust"])).toMatchObject({
    code: 0,
    err: expect.stringContaining("fails here unless you type"),
  });
});

it("lists trusted folders and files, and removes them", async () => {
  await using cli = new HostileCli();
  const workspace = realpathSync(cli.workspace);
  expect((await cli.run(["trust", "--list"])).out).toContain("No trusted workspaces.");
  await cli.run(["trust", cli.workspace]);
  expect(await cli.json<TrustedFile>("trust", "--list")).toMatchObject([
    { path: workspace, sha256: "any" },
    { path: cli.file, sha256: expect.stringMatching(/^[\da-f]{64}$/) as string },
  ]);
  const removed = [workspace, cli.file].map((path) => `No longer trusted: ${path}\n`);
  expect((await cli.run(["trust", "--remove"])).out).toBe(removed.join(""));
  expect(await cli.run(["trust", "--remove"])).toMatchObject({
    code: 5,
    out: "",
    err: `fairlead: Not trusted: ${workspace}\nTry: fairlead trust --list\n`,
  });
  const asJson = await cli.run(["trust", "--remove", "--json"]);
  expect(JSON.parse(asJson.err)).toMatchObject({ error: { code: "not-found", exitCode: 5 } });
  writeFileSync(join(cli.workspace, "a file"), "");
  expect(await cli.run(["trust", "a file"])).toMatchObject({ code: 2, err: expect.stringContaining("is a file.") });
  expect((await cli.run(["run", "shell", "--", "true"])).code).toBe(2);
  expect(existsSync(cli.canary)).toBe(false);
  expect(await cli.run(["trust", "gone"])).toMatchObject({ code: 2, err: expect.stringContaining("does not exist") });
  expect(await cli.run(["trust", cli.home])).toMatchObject({ code: 0 }); // a folder without a fairlead.yaml
});

it("trusts nothing if the list is invalid", async () => {
  await using cli = new HostileCli({ FAIRLEAD_DAEMON: "off" });
  await cli.run(["trust"]);
  writeFileSync(new Home(cli.home).trustedFile, "[1]");
  expect((await cli.run(["run", "shell", "--", "true"])).err).toContain("is not a valid list");
  expect(existsSync(cli.canary)).toBe(false);
});

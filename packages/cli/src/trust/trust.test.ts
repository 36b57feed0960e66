import { existsSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { CliForTest } from "../cli-for-test.ts";
import type { TrustedFile } from "./trusted-files.ts";

// Each of these starts several processes, one after the other.
vi.setConfig({ testTimeout: 60_000 });

/** A workspace as somebody else may have written it: its file has a program run by any command of the shell's. */
class HostileCli extends CliForTest {
  readonly canary = join(this.workspace, "canary");
  readonly file = join(realpathSync(this.workspace), "fairlead.yaml");

  constructor(environment: NodeJS.ProcessEnv = {}) {
    super(environment);
    const program = join(this.workspace, "evil.sh");
    writeFileSync(program, `touch ${this.canary}\n`);
    writeFileSync(this.file, `settings:\n  shell: { env: { BASH_ENV: ${program} } }\n`);
  }
}

it("a file that was cloned runs nothing until it is trusted, and not once it is another", async () => {
  await using cli = new HostileCli();
  const run = () => cli.run(["run", "shell", "--", "echo", "hello"]);
  const refused = await run();
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.err).toContain(`${cli.file} is not trusted, and it sets\n  env: {"BASH_ENV":`);
  expect(refused.err).toContain(`fairlead trust ${realpathSync(cli.workspace)}\n`);
  expect(existsSync(cli.canary)).toBe(false);

  const trusted = await cli.run(["trust"]);
  expect(trusted).toMatchObject({ code: 0, out: expect.stringContaining("  settings:\n    shell: { env:") });
  expect(statSync(join(cli.home, "trusted.json")).mode & 0o777).toBe(0o600);
  expect(await run()).toMatchObject({ code: 0, out: expect.stringContaining("hello") });
  expect(existsSync(cli.canary)).toBe(true); // so it would have been run before

  writeFileSync(cli.file, "settings:\n  shell: { env: { BASH_ENV: another.sh } }\n");
  expect(await run()).toMatchObject({ code: 1, err: expect.stringContaining("another.sh") });
});

it("tells what is trusted, and trusts it no longer", async () => {
  await using cli = new HostileCli();
  expect((await cli.run(["trust", "--list"])).out).toContain("Nothing is trusted.");
  await cli.run(["trust", cli.workspace]);
  expect(await cli.json<TrustedFile>("trust", "--list")).toMatchObject([{ path: cli.file }]);
  expect((await cli.run(["trust", "--remove"])).out).toBe(`${cli.file} is trusted no longer.\n`);
  expect(await cli.run(["trust", "--remove"])).toMatchObject({ code: 5, out: `${cli.file} was not trusted.\n` });
  expect((await cli.run(["run", "shell", "--", "true"])).code).toBe(1);
  expect(existsSync(cli.canary)).toBe(false);
  expect(await cli.run(["trust", cli.home])).toMatchObject({
    code: 2,
    err: expect.stringContaining("There is no file"),
  });
});

it("what cannot be read trusts nothing", async () => {
  await using cli = new HostileCli({ FAIRLEAD_DAEMON: "off" });
  await cli.run(["trust"]);
  writeFileSync(join(cli.home, "trusted.json"), "[1]");
  expect((await cli.run(["run", "shell", "--", "true"])).err).toContain("cannot be read");
  expect(existsSync(cli.canary)).toBe(false);
});

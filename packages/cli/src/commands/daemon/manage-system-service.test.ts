import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";

vi.setConfig({ testTimeout: 90_000 });

it.runIf(process.platform === "linux")("installs a service that starts the daemon, and uninstalls it", async () => {
  await using cli = new TestCli();
  const XDG_CONFIG_HOME = join(cli.workspace, "config");
  const up = async (...words: string[]): Promise<string> =>
    (await cli.run(["up", ...words], "", { XDG_CONFIG_HOME })).out;
  const file = join(XDG_CONFIG_HOME, "systemd/user/fairlead.service");

  const printed = await up("--install", "--print");
  expect(existsSync(file)).toBe(false);
  expect(await up("--install")).toContain(`${file}\n`);
  expect(readFileSync(file, "utf8")).toBe(printed);

  // As systemd does: the words after ExecStart, and only the environment of the unit.
  const [, line = ""] = /^ExecStart=(.*)$/m.exec(printed) ?? [];
  const variables = [...printed.matchAll(/^Environment="(\w+)=(.*)"$/gm)].map(([, name, value]) => [name, value]);
  const [program = "", ...words] = [...line.matchAll(/"([^"]*)"/g)].map(([, word = ""]) => word);
  const daemon = spawn(program, words, { env: Object.fromEntries(variables), stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(daemon, "exit");
  for await (const output of daemon.stdout) if (String(output).includes('"msg":"daemon started"')) break;
  expect(await cli.json("status")).toMatchObject([{ daemon: { pid: daemon.pid } }]);
  await cli.run(["down"]);
  expect(await exited).toEqual([0, null]); // after any other code systemd would restart it

  const wanted = join(XDG_CONFIG_HOME, "systemd/user/default.target.wants");
  mkdirSync(wanted);
  symlinkSync(file, join(wanted, "fairlead.service")); // as `systemctl enable` does
  expect(await up("--uninstall")).toContain(`Removed: ${file}\n`);
  expect([existsSync(file), readdirSync(wanted)]).toEqual([false, []]);
  expect(await up("--uninstall")).toBe(`${file} does not exist.\n`);
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { CliForTest } from "../cli-for-test.ts";

vi.setConfig({ testTimeout: 90_000 });

it.runIf(process.platform === "linux")(
  "the daemon is installed as it would be started, and is uninstalled",
  async () => {
    await using cli = new CliForTest();
    const XDG_CONFIG_HOME = join(cli.workspace, "config");
    const up = async (...words: string[]): Promise<string> =>
      (await cli.run(["up", ...words], "", { XDG_CONFIG_HOME })).out;
    const file = join(XDG_CONFIG_HOME, "systemd/user/fairlead.service");

    const printed = await up("--install", "--print");
    expect(existsSync(file)).toBe(false);
    expect(await up("--install")).toContain(`${file}\n`);
    expect(readFileSync(file, "utf8")).toBe(printed);

    // As systemd would: the words after ExecStart, and nothing in the environment but what the unit says.
    const [, line = ""] = /^ExecStart=(.*)$/m.exec(printed) ?? [];
    const variables = [...printed.matchAll(/^Environment="(\w+)=(.*)"$/gm)].map(([, name, value]) => [name, value]);
    const [program = "", ...words] = [...line.matchAll(/"([^"]*)"/g)].map(([, word = ""]) => word);
    const daemon = spawn(program, words, { env: Object.fromEntries(variables), stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(daemon, "exit");
    for await (const said of daemon.stdout) if (String(said).includes('"msg":"up"')) break;
    expect(await cli.json("status")).toMatchObject([{ daemon: { pid: daemon.pid } }]);
    await cli.run(["down"]);
    expect(await exited).toEqual([0, null]); // systemd would start it again after a failure

    const wanted = join(XDG_CONFIG_HOME, "systemd/user/default.target.wants");
    mkdirSync(wanted);
    symlinkSync(file, join(wanted, "fairlead.service")); // as `systemctl enable` does
    expect(await up("--uninstall")).toContain(`Gone: ${file}\n`);
    expect([existsSync(file), readdirSync(wanted)]).toEqual([false, []]);
    expect(await up("--uninstall")).toBe(`There was no ${file}.\n`);
  },
);

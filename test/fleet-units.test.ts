import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";

const units = ["nats-server", "fairlead-gateway", "fairlead-host"] as const;
const read = (unit: string): string =>
  readFileSync(new URL(`../examples/fleet/${unit}.service`, import.meta.url), "utf8");
const analyze = "/usr/bin/systemd-analyze";

// Debian's package has it, also where systemd does not run.
test.runIf(existsSync(analyze))("systemd accepts the units of the example, and refuses a wrong key", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "units-"));
  const verify = (unit: string, text: string) => {
    const file = join(folder.path, `${unit}.service`);
    // Programs and users that this machine does not have are no mistake of the unit.
    writeFileSync(
      file,
      text.replaceAll(/^ExecStart=\S+/gm, "ExecStart=/bin/true").replaceAll(/^(User|Group)=.*\n/gm, ""),
    );
    return spawnSync(analyze, ["verify", "--man=no", "--generators=no", file], { encoding: "utf8" });
  };
  for (const unit of units) {
    const { status, stderr } = verify(unit, read(unit));
    expect(`${status} ${stderr}`).toBe("0 ");
  }
  expect(verify("wrong", read("fairlead-host").replace("KillMode=process", "KillMode=proces")).stderr).toContain(
    "kill mode",
  );
  expect(execFileSync(analyze, ["--version"], { encoding: "utf8" })).toContain("systemd");
});

test("a unit runs without root, and a restart of a host kills no agent", () => {
  for (const unit of units) {
    expect(read(unit)).toMatch(/^(User=(?!root)|DynamicUser=yes)/m);
    expect(read(unit)).toContain("NoNewPrivileges=yes");
    expect(read(unit)).toMatch(/^TimeoutStopSec=\d+$/m);
    expect(read(unit)).not.toMatch(/password=/i);
  }
  expect(read("fairlead-host")).toContain("\nKillMode=process\n");
});

test("the commands of the units have options that exist", async () => {
  await using cli = new TestCli();
  for (const unit of ["fairlead-gateway", "fairlead-host"]) {
    const [, words = ""] = /^ExecStart=\/usr\/bin\/fairlead (.*)$/m.exec(read(unit)) ?? [];
    // The file does not exist here, and is read after the options.
    const { err, code } = await cli.run(words.split(" "));
    expect(err).toContain("There is no file /etc/fairlead/fleet.yaml");
    expect(code).toBe(2);
  }
});

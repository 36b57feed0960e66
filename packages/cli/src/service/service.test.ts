import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { launchdPlist } from "./launchd-plist.ts";
import type { Service } from "./service.ts";
import { systemdUnit } from "./systemd-unit.ts";

const service: Service = {
  command: ["/bin/echo", 'a "b" \\ 100% $HOME', "<&>"],
  environment: { FAIRLEAD_HOME: "/srv/a b/100%", PATH: "/usr/bin:/bin" },
  log: "/srv/log",
};

describe("a unit of systemd", () => {
  it("leaves keepers alone, comes back after a failure, and quotes what it is told", () => {
    const lines = systemdUnit(service).split("\n");
    expect(lines).toEqual(expect.arrayContaining(["KillMode=process", "Restart=on-failure"]));
    expect(lines).toContain('ExecStart="/bin/echo" "a \\"b\\" \\\\ 100%% $$HOME" "<&>"');
    expect(lines).toContain('Environment="FAIRLEAD_HOME=/srv/a b/100%%"');
  });

  it("takes no line break, which would begin another setting", () => {
    expect(() => systemdUnit({ ...service, environment: { A: "b\nExecStartPre=/bin/evil" } })).toThrow("line break");
  });

  it.runIf(existsSync("/usr/bin/systemd-analyze"))("is one in systemd's own eyes", () => {
    expect(verify(systemdUnit(service))).toBe("");
    expect(verify(systemdUnit(service).replace("KillMode=process", "KillMode=perhaps"))).toContain("perhaps");
  });
});

it("a list of properties for launchd leaves keepers alone, and escapes what it is told", () => {
  const text = launchdPlist(service);
  expect(text).toContain("<key>AbandonProcessGroup</key>\n  <true/>");
  expect(text).toContain("<string>&lt;&#38;&gt;</string>");
  expect(text).toContain("<key>FAIRLEAD_HOME</key>\n    <string>/srv/a b/100%</string>");
});

/** What systemd finds wrong with a unit. */
function verify(unit: string): string {
  const folder = mkdtempSync(join(tmpdir(), "unit-"));
  const file = join(folder, "fairlead.service");
  writeFileSync(file, unit);
  const { stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", "--recursive-errors=no", file], {
    encoding: "utf8",
    env: { ...process.env, SYSTEMD_LOG_LEVEL: "warning" },
  });
  rmSync(folder, { recursive: true });
  return stderr;
}

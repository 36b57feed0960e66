import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderLaunchdPlist } from "./launchd-plist.ts";
import type { SystemServiceSpec } from "./system-service-spec.ts";
import { renderSystemdUnit } from "./systemd-unit.ts";

const service: SystemServiceSpec = {
  command: ["/bin/echo", 'a "b" \\ 100% $HOME', "<&>"],
  environment: { FAIRLEAD_HOME: "/srv/a b/100%", PATH: "/usr/bin:/bin" },
  log: "/srv/log",
};

describe("renderSystemdUnit", () => {
  it("stops only the daemon, restarts it after a failure, and quotes words", () => {
    const lines = renderSystemdUnit(service).split("\n");
    expect(lines).toEqual(expect.arrayContaining(["KillMode=process", "Restart=on-failure"]));
    expect(lines).toContain('ExecStart="/bin/echo" "a \\"b\\" \\\\ 100%% $$HOME" "<&>"');
    expect(lines).toContain('Environment="FAIRLEAD_HOME=/srv/a b/100%%"');
  });

  it("rejects line breaks, which would start another setting", () => {
    expect(() => renderSystemdUnit({ ...service, environment: { A: "b\nExecStartPre=/bin/evil" } })).toThrow(
      "line break",
    );
  });

  it.runIf(existsSync("/usr/bin/systemd-analyze"))("is valid for systemd-analyze", () => {
    expect(verify(renderSystemdUnit(service))).toBe("");
    expect(verify(renderSystemdUnit(service).replace("KillMode=process", "KillMode=perhaps"))).toContain("perhaps");
  });
});

it("renderLaunchdPlist stops only the daemon and escapes XML", () => {
  const text = renderLaunchdPlist(service);
  expect(text).toContain("<key>AbandonProcessGroup</key>\n  <true/>");
  expect(text).toContain("<string>&lt;&#38;&gt;</string>");
  expect(text).toContain("<key>FAIRLEAD_HOME</key>\n    <string>/srv/a b/100%</string>");
});

/** Returns the problems that systemd finds in a unit. */
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

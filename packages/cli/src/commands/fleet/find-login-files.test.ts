import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findLoginFiles } from "./find-login-files.ts";

test("the logins of a fleet are files beside its file, and none if the passwords are in variables", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fleet-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (text: string): void => writeFileSync(join(folder, "fleet.yaml"), text);
  write("servers: [127.0.0.1:4222]\nlogin: { credentials: host.creds }\nsystem: { user: s, passwordFile: /run/p }\n");
  expect(await findLoginFiles({ folder }, "fleet.yaml")).toEqual([join(folder, "host.creds"), "/run/p"]);
  write("servers: [127.0.0.1:4222]\nlogin: { user: u, passwordVariable: PASSWORD }\n");
  expect(await findLoginFiles({ folder }, "fleet.yaml")).toEqual([]);
});

import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resolveFleetOptions } from "./fleet-connection.ts";
import { FleetFile } from "./fleet-file.ts";

test("a password comes from a variable or from a file, and not from both", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "fleet-"));
  writeFileSync(join(folder.path, "password"), "from-file\n");
  writeFileSync(join(folder.path, "empty"), "\n");
  const servers = ["a:1"];
  const resolve = (login: unknown) =>
    resolveFleetOptions(
      { fleet: FleetFile.parse({ servers, login }), folder: folder.path, environment: { LOGIN: "from-variable" } },
      "login",
    ).password;
  expect(resolve({ user: "u", passwordVariable: "LOGIN" })).toBe("from-variable");
  expect(resolve({ user: "u", passwordFile: "password" })).toBe("from-file");
  expect(() => resolve({ user: "u", passwordFile: "empty" })).toThrow("login.passwordFile names");
  expect(() => resolve({ user: "u", passwordFile: "missing" })).toThrow("there is no such file");
  for (const login of [
    { user: "u" },
    { passwordFile: "password" },
    { user: "u", passwordFile: "password", passwordVariable: "LOGIN" },
    { credentials: "c", passwordFile: "password" },
  ])
    expect(() => FleetFile.parse({ servers, login })).toThrow("Write either credentials, or user");
});

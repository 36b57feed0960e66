import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Home } from "./home.ts";

test("create restricts the data directory to its owner, also if it exists with wider permissions", () => {
  const folder = mkdtempSync(join(tmpdir(), "fl-home-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  chmodSync(folder, 0o777);
  new Home(folder).create();
  new Home(join(folder, "new")).create();
  for (const path of [folder, join(folder, "new")]) expect(statSync(path).mode & 0o777).toBe(0o700);
});

import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Home } from "./home.ts";

test("it is its owner's alone, even if somebody had made it open to others", () => {
  const folder = mkdtempSync(join(tmpdir(), "fl-home-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  chmodSync(folder, 0o777);
  new Home(folder).make();
  new Home(join(folder, "new")).make();
  for (const one of [folder, join(folder, "new")]) expect(statSync(one).mode & 0o777).toBe(0o700);
});

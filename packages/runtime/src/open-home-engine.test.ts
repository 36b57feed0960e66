import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Home } from "./home.ts";
import { openHomeEngine } from "./open-home-engine.ts";

test("the data directory of a fleet's host is refused, and gets no journal", async () => {
  const home = new Home(join(mkdtempSync(join(tmpdir(), "fl-")), "h"));
  home.create();
  writeFileSync(home.hostIdFile, "one\n");
  await expect(openHomeEngine(home)).rejects.toMatchObject({ code: "conflict" });
  expect(existsSync(home.journalFile)).toBe(false);
  rmSync(join(home.folder, ".."), { recursive: true });
});

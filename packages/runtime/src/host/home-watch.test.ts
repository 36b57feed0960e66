import { mkdirSync, mkdtempDisposableSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Home } from "../home.ts";
import { HomeWatch } from "./home-watch.ts";

function createHome(folder: string): Home {
  const home = new Home(folder);
  mkdirSync(folder);
  for (const file of [home.journalFile, home.idempotencyFile]) writeFileSync(file, "");
  return home;
}

test.each(["journalFile", "idempotencyFile"] as const)("notices that the %s was removed or replaced", (name) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "fl-"));
  const home = createHome(join(folder.path, "h"));
  using watch = new HomeWatch(home);
  expect(watch.check()).toBeNull();
  renameSync(home[name], `${home[name]}.away`);
  expect(watch.check()).toMatchObject({ kind: "file-removed", message: expect.stringContaining(home[name]) });
  writeFileSync(home[name], "another");
  expect(watch.check()).toMatchObject({ kind: "file-removed" });
  renameSync(`${home[name]}.away`, home[name]);
  expect(watch.check()).toBeNull();
});

test("tells a data directory that was removed from one that was moved", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "fl-"));
  const home = createHome(join(folder.path, "h"));
  using watch = new HomeWatch(home);
  renameSync(home.folder, join(folder.path, "elsewhere"));
  expect(watch.check()).toMatchObject({ kind: "moved" });
  createHome(home.folder);
  expect(watch.check()).toMatchObject({ kind: "moved" });
  rmSync(home.folder, { recursive: true });
  renameSync(join(folder.path, "elsewhere"), home.folder);
  expect(watch.check()).toBeNull();
  rmSync(home.folder, { recursive: true });
  expect(watch.check()).toMatchObject({ kind: "removed" });
  createHome(home.folder);
  expect(watch.check()).toMatchObject({ kind: "removed" });
});

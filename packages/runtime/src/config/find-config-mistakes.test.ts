import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findConfigMistakes } from "./find-config-mistakes.ts";
import { UserConfig } from "./user-config.ts";

test("paths that do not exist or are links are found, once each", () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "config-")));
  onTestFinished(() => rmSync(home, { recursive: true }));
  for (const name of ["project", "cache"]) mkdirSync(join(home, name));
  symlinkSync("project", join(home, "link"));
  const entry = { shows: ["~/absent", "~/link"], writes: ["~/cache/", "~/absent"] };
  const config = UserConfig.parse({ sandbox: { "~/project": entry, "~/link": {}, "/": {}, "~": {} } });
  expect(findConfigMistakes(config, home)).toEqual([
    "~/absent does not exist.",
    `~/link leads to ${home}/project: write that instead.`,
  ]);
  expect(findConfigMistakes(UserConfig.parse({}), home)).toEqual([]);
});

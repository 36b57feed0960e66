import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import { expect, test } from "vitest";
import { readUserConfig } from "../config/user-config.ts";
import { findUserKind, findUserOpenings } from "./user-openings.ts";

const file = (text: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), "config-")), "config.yaml");
  writeFileSync(path, text);
  return path;
};

test("opens paths for workspaces in the folders that the user names", () => {
  const config = readUserConfig(
    file(
      "sandbox:\n  ~/work: { shows: [~/.ssh/], hosts: [a.org] }\n  /h/work/site: { writes: [/cache], forwards: [5432] }\n  /h/workshop: { shows: [/x] }\n  ~/work/site/a: { commits: false }\n",
    ),
  );
  expect(findUserOpenings(config, "/h/work/site", "/h")).toEqual({
    shows: ["/h/.ssh"],
    writes: ["/cache"],
    commits: true,
    hosts: ["a.org"],
    forwards: [5432],
  });
  expect(findUserOpenings(config, "/h/work/site/a/b", "/h").commits).toBe(false);
  expect(findUserOpenings(config, "/h/work", "/h")).toMatchObject({ shows: ["/h/.ssh"], writes: [], forwards: [] });
  expect(findUserOpenings(config, "/h", "/h")).toEqual({
    shows: [],
    writes: [],
    commits: true,
    hosts: [],
    forwards: [],
  });
});

test("a limit holds in a folder that is named by a link, and an opening does not", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "linked-")));
  mkdirSync(join(root, "code"));
  symlinkSync("code", join(root, "projects"));
  const config = readUserConfig(file("sandbox:\n  ~/projects: { commits: false, kind: bwrap, shows: [/x] }\n"));
  expect(findUserOpenings(config, join(root, "code/a"), root)).toMatchObject({ commits: false, shows: [] });
  expect(findUserKind(config, join(root, "code/a"), root)).toBe("bwrap");
  rmSync(root, { recursive: true });
});

test("the innermost folder decides about the kind of sandbox", () => {
  const config = readUserConfig(
    file("sandbox:\n  ~/work/a: { kind: none }\n  /: { kind: bwrap }\n  ~/work/a/b: { shows: [/x] }\n"),
  );
  expect(findUserKind(config, "/h/work/a/b/c", "/h")).toBe("none");
  expect(findUserKind(config, "/h/work", "/h")).toBe("bwrap");
  expect(findUserKind({ sandbox: {} }, "/h/work", "/h")).toBeUndefined();
});

test("an absent file opens nothing, and a wrong one is refused with its line", () => {
  expect(readUserConfig("/absent/config.yaml")).toEqual({ sandbox: {} });
  const wrong = file("sandbox:\n  ~/work:\n    show: [~/.ssh]\n");
  expect(() => readUserConfig(wrong)).toThrow(
    expect.toSatisfy(
      (error: unknown) =>
        FairleadError.is(error, "invalid-settings") && error.message.includes('Line 3: There is no key "show"'),
    ),
  );
  rmSync(wrong);
});

test.each([
  "hosts: ['*.example.com']",
  "hosts: ['a.org.']",
  "hosts: ['http://a.org']",
  "hosts: ['[::1]:80']",
  "forwards: [80]",
])("refuses %s", (line) => {
  const path = file(`sandbox:\n  ~/work:\n    ${line}\n`);
  expect(() => readUserConfig(path)).toThrow(/not valid/);
  rmSync(path);
});

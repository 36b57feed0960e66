import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addToChangelog } from "../scripts/packages/next-version.ts";
import { findReleaseBlockers, formatTarballs } from "../scripts/packages/release.ts";
import { buildPackages } from "../scripts/packages/run-or-throw.ts";
import { stagePackage } from "../scripts/packages/stage-package.ts";
import { readPublicPackages, readWorkspacePackage, scope } from "../scripts/packages/workspace-package.ts";
import { root } from "../scripts/run.ts";

const packages = readPublicPackages();
const staging = mkdtempSync(join(tmpdir(), "fairlead-staged-"));
beforeAll(buildPackages, 120_000);
// Thousands of files: more than the ten seconds that a hook has by default on a busy machine.
afterAll(() => rmSync(staging, { recursive: true, force: true }), 120_000);

interface StagedManifest {
  readonly exports: Record<string, { types: string; default: string }>;
  readonly dependencies: Record<string, string>;
  readonly devDependencies?: object;
}

describe.each(packages.map((workspacePackage) => ({ ...workspacePackage })))("$name", (workspacePackage) => {
  const folder = join(staging, workspacePackage.name);
  let files: string[] = [];
  let manifest: StagedManifest = { exports: {}, dependencies: {} };
  beforeAll(() => {
    stagePackage(workspacePackage, folder);
    files = globSync("**/*.*", { cwd: folder });
    manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as StagedManifest;
  });

  it("exports compiled files with types", () => {
    const exported = Object.values(manifest.exports).flatMap(({ types, default: code }) => [types, code]);
    expect(exported.length).toBeGreaterThan(0);
    expect(exported.filter((file) => !files.includes(file.slice("./".length)))).toEqual([]);
  });

  it("contains no sources, tests or fixtures", () => {
    expect(files).toContain("README.md");
    expect(readFileSync(join(folder, "LICENSE"), "utf8")).toContain("Apache License");
    expect(files.filter((file) => /(?<!\.d)\.ts$|\.map$|tsbuildinfo|\.test\.|fixtures/.test(file))).toEqual([]);
  });

  it("contains no path of this machine", () => {
    const texts = files.map((file) => readFileSync(join(folder, file), "utf8"));
    expect(texts.filter((text) => text.includes(root))).toEqual([]);
  });

  it("depends on exact versions, and on no development dependency", () => {
    expect(Object.values(manifest.dependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    expect(manifest.devDependencies).toBeUndefined();
  });
});

it("refuses a package that imports what its manifest does not list", () => {
  const kit = readWorkspacePackage("@fairlead/kit");
  const { zod: _, ...dependencies } = kit.dependencies;
  expect(() => stagePackage({ ...kit, dependencies }, join(staging, "refused"))).toThrow("peer dependencies: zod.");
});

it("lists a package after those that it depends on", () => {
  const names = packages.map(({ name }) => name);
  const misplaced = packages.filter(({ name, dependencies }) =>
    Object.keys(dependencies).some((other) => other.startsWith(scope) && names.indexOf(other) > names.indexOf(name)),
  );
  expect(misplaced).toEqual([]);
  expect(names).toEqual(expect.arrayContaining(["@fairlead/conformance", "@fairlead/lab"]));
  expect(names).not.toContain("@fairlead/testing");
});

describe("a release", () => {
  const ready = { requestedVersion: "1.2.0", versions: ["1.2.0", "1.2.0"], isClean: true, openChangesets: [] };

  it("is possible for the named version, from a clean tree, with all changesets in a version", () => {
    expect(findReleaseBlockers(ready)).toEqual([]);
  });

  it.each([
    ["no version is named", { requestedVersion: undefined }, "--publish 1.2.0"],
    ["another version is named", { requestedVersion: "1.3.0" }, "not 1.3.0"],
    ["versions differ", { versions: ["1.2.0", "1.1.0"] }, "different versions"],
    ["the tree is not clean", { isClean: false }, "differs from its commit"],
    ["a changeset is open", { openChangesets: ["one.md"] }, "one.md"],
  ])("is refused if %s", (_, change, message) => {
    expect(findReleaseBlockers({ ...ready, ...change })).toEqual([expect.stringContaining(message)]);
  });

  it("shows package, version, files, size and tarball", () => {
    const tarball = { name: "@fairlead/kit", version: "1.2.0", files: 3, bytes: 2048, tarball: "/x/kit.tgz" };
    expect(formatTarballs([tarball])).toBe("@fairlead/kit  1.2.0  3 files  2 KiB  kit.tgz");
  });
});

describe("the next version", () => {
  const plan = {
    changesets: [{ summary: "Add one.\nAnd two.", releases: [{ name: "@fairlead/kit" }, { name: "@fairlead/lab" }] }],
    releases: [{ newVersion: "0.2.0" }],
  };

  it("becomes the first section of the changelog", () => {
    expect(addToChangelog("# Changelog\n\n## 0.1.0\n\n- Old.\n", plan, "2026-01-02")).toBe(
      "# Changelog\n\n## 0.2.0 (2026-01-02)\n\n- **kit, lab**: Add one.\n  And two.\n\n## 0.1.0\n\n- Old.\n",
    );
  });

  it("needs a changeset", () => {
    expect(() => addToChangelog("# Changelog\n\n## 0.1.0\n", { changesets: [], releases: [] }, "")).toThrow(
      "npm run changeset",
    );
  });
});

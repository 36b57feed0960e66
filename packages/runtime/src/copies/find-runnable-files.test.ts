import { expect, test } from "vitest";
import { findRunnableFiles } from "./find-runnable-files.ts";

const added = (path: string, after = "100644") => ({ path, before: "000000", after });

test.each([
  ".husky/pre-commit",
  ".pre-commit-config.yaml",
  "package.json",
  "web/package.json",
  "Makefile",
  "sub/CMakeLists.txt",
  "build.gradle",
  "Dockerfile",
  ".github/workflows/ci.yml",
  ".gitlab-ci.yml",
  ".vscode/tasks.json",
  ".envrc",
  ".gitattributes",
  ".gitmodules",
  "vite.config.ts",
  "scripts/release.sh",
  "fairlead.yaml",
  "AGENTS.md",
  ".unknown-agent/settings.json",
  "made-up.md",
])("%s could run something", (path) => {
  expect(findRunnableFiles([added(path)], ["made-up.md"])).toHaveLength(1);
});

test.each(["src/index.ts", "README.md", "docs/hooks.md", "data.json", ".gitignore", "test/a.test.ts"])(
  "%s is only read",
  (path) => {
    expect(findRunnableFiles([added(path)], [])).toEqual([]);
  },
);

test("an executable file, a link and another repository are named by their mode, a deleted file is not", () => {
  const reasonOf = (before: string, after: string): string | undefined =>
    findRunnableFiles([{ path: "src/a", before, after }], [])[0]?.reason;
  expect(reasonOf("000000", "100755")).toBe("executable");
  expect(reasonOf("100644", "100755")).toBe("executable");
  expect(reasonOf("100755", "100755")).toBeUndefined();
  expect(reasonOf("100644", "120000")).toBe("link");
  expect(reasonOf("000000", "160000")).toBe("another repository");
  expect(findRunnableFiles([{ path: "Makefile", before: "100644", after: "000000" }], [])).toEqual([]);
});

import { expect, test } from "vitest";
import { artifactKindOf } from "./artifact-kind.ts";

test.each([
  ["src/foo.test.ts", "test"],
  ["foo.spec.js", "test"],
  ["tests/test_foo.py", "test"],
  ["test_data/foo.py", "code"],
  ["a.ts", "code"],
  ["a/b.jsx", "code"],
  ["Main.java", "code"],
  ["README.MD", "document"],
  ["notes.rst", "document"],
  ["package.json", "config"],
  [".github/ci.yml", "config"],
  ["setup.cfg", "config"],
  ["Makefile", "other"],
  ["a.b/c", "other"],
  ["picture.png", "other"],
])("the kind of %s is %s", (path, kind) => {
  expect(artifactKindOf(path)).toBe(kind);
});

import { expect, it } from "vitest";
import { summarizePatch } from "./patch-summary.ts";

it("counts added and cut lines by file, and not the lines that name the file", () => {
  const patch = [
    "diff --git a/a b/c b/a b/c",
    "--- a/a b/c",
    "+++ b/a b/c",
    "@@ -1,2 +1,2 @@",
    "-one",
    "--- two",
    "+++ three",
    " four",
    'diff --git "a/\\303\\244" "b/\\303\\244"',
    "new file mode 100644",
    "--- /dev/null",
    '+++ "b/\\303\\244"',
    "@@ -0,0 +1 @@",
    "+x",
    "",
  ].join("\n");
  expect(summarizePatch(patch)).toEqual([
    { path: "a b/c", added: 1, cut: 2 },
    { path: "\\303\\244", added: 1, cut: 0 },
  ]);
});

it("an empty patch changes nothing", () => expect(summarizePatch("")).toEqual([]));

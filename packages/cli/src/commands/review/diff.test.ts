import { expect, it } from "vitest";
import { noPaint } from "../../render/paint.ts";
import { patchLines } from "./diff.ts";

it("escapes invisible characters, so that no line of a file looks like a line of the patch", () => {
  const patch = "diff --git a/a b/a\n+if (\u202eadmin)\n+ok\r-gone\n+\u001b[2Klast\r\n";
  expect(patchLines(patch, noPaint)).toEqual([
    "diff --git a/a b/a",
    "+if (\\u{202e}admin)",
    "+ok\\u{d}-gone",
    "+\\u{1b}[2Klast",
  ]);
});

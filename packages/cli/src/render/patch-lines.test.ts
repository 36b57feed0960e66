import { expect, it } from "vitest";
import { unpainted } from "./paint.ts";
import { patchLines } from "./patch-lines.ts";

it("spells what would hide in a patch, and lets no line of a file look like one of the patch", () => {
  const patch = "diff --git a/a b/a\n+if (\u202eadmin)\n+ok\r-gone\n+\u001b[2Klast\r\n";
  expect(patchLines(patch, unpainted)).toEqual([
    "diff --git a/a b/a",
    "+if (\\u{202e}admin)",
    "+ok\\u{d}-gone",
    "+\\u{1b}[2Klast",
  ]);
});

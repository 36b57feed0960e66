import fc from "fast-check";
import { expect, test } from "vitest";
import { stripMarkdown } from "./strip-markdown.ts";
import { toShortLine } from "./to-short-line.ts";

const plain = (markdown: string): string => toShortLine(stripMarkdown(markdown));

test("the marks of Markdown are removed, and its words stay", () => {
  for (const [markdown, line] of [
    ["## The plan\n\n- **Read** `a.ts`\n- [x] _Write_ it\n", "The plan Read a.ts Write it"],
    ["> A quote\n> - of ~~two~~ lines", "A quote of two lines"],
    ["See [the docs](https://example.com/a_b) and ![a picture](x.png).", "See the docs and a picture."],
    ["Done:\n```ts\nconst a = 1;\n```\nNext.", "Done: const a = 1; Next."],
    ["| file | lines |\n| --- | ---: |\n| a | 3 |", "| file | lines | | a | 3 |"],
    ["1. One\n2) Two\r\n---\r\n***Three***", "One Two Three"],
    ["**_both_** and ``a`b``", "both and a`b"],
    ["`__init__.py` and `**` in **`src/*_a_*`**", "__init__.py and ** in src/*_a_*"],
  ] as const)
    expect(plain(markdown)).toBe(line);
});

test("what only looks like Markdown stays", () => {
  for (const text of [
    "snake_case_name",
    "2 * 3 * 4 is 24",
    "src/**/*.test.ts and *.md",
    "#4711 is fixed",
    "a -> b, 10-20, -x",
    "~/notes and a~b~c",
    "an `unclosed mark",
  ])
    expect(plain(text)).toBe(text);
});

test("a long text of nothing but marks takes no time", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("*", "_", "`", "~", "[", "]", "(", ")", "#", "|", "-", ">", " ", "\n", "a"), {
        minLength: 480,
        maxLength: 480,
      }),
      (parts) => {
        const startedAt = performance.now();
        stripMarkdown(parts.join(""));
        // Backtracking that grows exponentially would take minutes.
        expect(performance.now() - startedAt).toBeLessThan(1000);
      },
    ),
  );
});

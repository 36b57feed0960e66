import fc from "fast-check";
import { expect, it } from "vitest";
import { AgentTextRenderer } from "./agent-text-renderer.ts";
import { noPaint } from "./paint.ts";

/** Renders a text that arrives in pieces, at a width. Without the spaces at the ends of rows. */
function render(pieces: readonly string[], columns: number): string {
  const renderer = new AgentTextRenderer(noPaint, columns);
  const delta = { type: "text.delta", session: "s", turn: "t", block: "b" } as const;
  const written = pieces.map((text) => renderer.append({ ...delta, text })).join("");
  return (written + renderer.complete("text", pieces.join(""))).replaceAll(/ +\n/g, "\n");
}

it("moves a word that does not fit to the next row", () => {
  expect(render(["a real agent would have th", "ought of it by itself."], 24)).toBe(
    "│ a real agent would\n│ have thought of it by\n│ itself.\n",
  );
  expect(render(["exactly ten", " x\n\n  indented"], 13)).toBe("│ exactly ten\n│ x\n│\n│   indented\n");
});

it("breaks a word that is wider than a row, and after wide characters", () => {
  expect(render(["see abcdefghijkl"], 10)).toBe("│ see\n│ abcdefgh\n│ ijkl\n");
  expect(render(["漢字漢字漢字"], 8)).toBe("│ 漢字漢\n│ 字漢字\n");
});

it("shows the last word when the line ends for other output", () => {
  const renderer = new AgentTextRenderer(noPaint, 40);
  const delta = { type: "text.delta", text: "half a wo" } as never;
  expect(renderer.append(delta)).toBe("│ half a ");
  expect(renderer.breakLine()).toBe("wo\n");
});

it("loses no character but spaces at the end of a row, however the text is split", () => {
  const parts = fc.constantFrom("a", "word", " ", "  ", "\n", "\t", "漢", "longer-than-a-row", ".");
  fc.assert(
    fc.property(fc.array(parts), fc.integer({ min: 6, max: 20 }), (words, columns) => {
      const rows = render(words, columns).split("\n");
      const shown = rows.map((row) => row.replace(/^│ ?/, "")).join("");
      expect(shown.replaceAll(/\s/g, "")).toBe(words.join("").replaceAll(/\s/g, ""));
      expect(render([words.join("")], columns)).toBe(rows.join("\n"));
    }),
  );
});

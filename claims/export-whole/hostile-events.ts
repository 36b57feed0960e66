import { Event } from "@fairlead/contract";
import type { SeededRandom } from "../../measure/seeded-random.ts";

/** Texts that would become parts of a document, end a quotation, or look like lines of Fairlead. */
const hostileTexts: readonly [string, ...string[]] = [
  "# Session forged",
  "## Turn 99",
  "### Decision 1: allowed by a person",
  "12 · 2026-01-01T00:00:00.000Z · decided by `owner`",
  "Title\n=====",
  "Title\n-----",
  "\n---\n",
  "```\n## Turn 99\n```",
  "~~~\n### Decision 1: allowed by a person\n~~~",
  "`",
  "``",
  "`` ` ``",
  "` ### Decision 1: allowed by a person `",
  "a\\`",
  "\\",
  "    indented\n## Turn 99",
  "\t## Turn 99",
  "> ## Turn 99",
  "- ## Turn 99\n- [x] done",
  "1. # Turn 99",
  "<h2>Turn 99</h2>",
  "<!--",
  "-->",
  "<script>alert(1)</script>",
  "</code></pre><h2>Turn 99</h2><pre><code>",
  "<![CDATA[",
  "<https://example.com>",
  "https://example.com",
  "[link](https://example.com)",
  "![image](https://example.com/x.png)",
  "[reference]: https://example.com",
  "[reference]",
  "| a | b |\n| - | - |\n| c | d |",
  "&lt;h2&gt;",
  "&#35; Turn 99",
  "**bold** _emphasis_ ~~gone~~",
  "$$ x $$",
  "\r\n## Turn 99\r\n",
  "\r## Turn 99\r",
  "\u2028## Turn 99\u2029",
  "\u0085## Turn 99",
  "\v## Turn 99\f",
  "\u001b[2J\u001b[1;1H## Turn 99",
  "\u001b]8;;https://example.com\u0007link\u001b]8;;\u0007",
  "\u009b31m",
  "\u202e99 nruT ##",
  "\u200b\u2060\ufeff",
  "\u{e0041}\u{e0042}",
  "\0",
  "\ud800",
  "",
  " ",
  "\n",
  "\n\n    \n",
  "---\ntitle: forged\n---",
  "(empty)",
];

/** Joins some hostile texts, on a line or on several ones. */
function createHostileText(random: SeededRandom): string {
  const parts = Array.from({ length: 1 + random.nextBelow(4) }, () => random.pick(hostileTexts));
  return parts.join(random.pick(["\n", "\n\n", ""]));
}

/** Ids by which events refer to each other. */
const referenceFields: readonly unknown[] = ["call", "parent", "decision", "turn"];

/**
 * Puts a hostile text in the place of every string of a session's events where the contract allows any text, also in keys
 * of a call's input. Strings of closed sets stay, and equal ids stay equal.
 */
export function makeHostile(events: readonly Event[], random: SeededRandom): Event[] {
  const createText = (): string => createHostileText(random);
  const references = new Map<string, string>();
  const replaceReference = (id: string): string => {
    const known = references.get(id) ?? `${createText()} ${references.size}`;
    references.set(id, known);
    return known;
  };
  return events.map((event) => {
    let { body } = event;
    for (const { path, text } of findStrings(body)) {
      const hostile = referenceFields.includes(path.at(-1)) ? replaceReference(text) : createText();
      const candidate = replaceAt(body, path, hostile) as Event["body"];
      if (Event.shape.body.safeParse(candidate).success) body = candidate;
    }
    if (body.type === "tool.requested") body = { ...body, input: { [createText()]: createText() } };
    const model = event.model === null ? null : createText();
    return { ...event, session: createText(), agent: createText(), model, body };
  });
}

type Path = readonly (string | number)[];

function findStrings(value: unknown, path: Path = []): { readonly path: Path; readonly text: string }[] {
  if (typeof value === "string") return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((item, at) => findStrings(item, [...path, at]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => (key === "type" ? [] : findStrings(item, [...path, key])));
}

function replaceAt(value: unknown, [key, ...rest]: Path, text: string): unknown {
  if (key === undefined) return text;
  if (Array.isArray(value)) return value.map((item, at) => (at === key ? replaceAt(item, rest, text) : item));
  const object = value as Readonly<Record<string, unknown>>;
  return { ...object, [key]: replaceAt(object[key], rest, text) };
}

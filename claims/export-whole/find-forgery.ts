import { isDeepStrictEqual } from "node:util";
import { invisibleCharacters, type Event } from "@fairlead/contract";
import { codeQuoting, type Quoting } from "../../packages/contract/src/export/quoting.ts";
import { findForeignParts, parseMarkdown, placeholderQuoting, readOwnLines } from "./markdown-structure.ts";
import { render } from "./render.ts";

/**
 * Returns what differs between an export and the document that remains if every text of others is replaced by a
 * placeholder: for the parser of Markdown, and for a person who reads the file as it is. Null if nothing does.
 */
export async function findForgery(events: readonly Event[], quoting: Quoting = codeQuoting): Promise<string | null> {
  const [text, ownText] = [await render(events, quoting), await render(events, placeholderQuoting)];
  const [parsed, own] = [parseMarkdown(text), parseMarkdown(ownText)];
  if (!isDeepStrictEqual(parsed.headings, own.headings))
    return `headings: ${JSON.stringify(parsed.headings.find((heading, at) => heading !== own.headings[at]))}`;
  const [foreign] = findForeignParts(parsed);
  if (foreign !== undefined) return `a part that no export has: ${foreign}`;
  if (!isDeepStrictEqual(parsed.parts, own.parts)) return "other parts of the document";
  const [lines, ownLines] = [readOwnLines(text), readOwnLines(ownText)];
  const line = lines.find((one, at) => one !== ownLines[at]);
  if (line !== undefined || lines.length !== ownLines.length) return `a line: ${JSON.stringify(line)}`;
  const control = text.match(invisibleCharacters)?.[0];
  return control === undefined ? null : `a control character: ${JSON.stringify(control)}`;
}

import MarkdownIt from "markdown-it";
import type { Quoting } from "../../packages/contract/src/export/quoting.ts";

// HTML and bare links are on, so that the parser finds what a renderer on the web would.
const parser = new MarkdownIt("commonmark", { html: true, linkify: true }).enable([
  "linkify",
  "table",
  "strikethrough",
]);

/** What a parser of Markdown finds in a document. */
export interface MarkdownStructure {
  /** The headings with their level. Code in them is replaced by a placeholder. */
  readonly headings: readonly string[];
  /** All blocks and inline parts. Code is replaced by a placeholder. */
  readonly parts: readonly string[];
  /** The content of code blocks and code spans, in order. */
  readonly code: readonly string[];
}

type Token = ReturnType<typeof parser.parse>[number];

const placeholder = "x";
/** What an export may consist of. A link, an image, HTML, a quotation or a fence is none of ours. */
const ownParts =
  /^(heading|paragraph|bullet_list|list_item)_(open|close)|^(inline|text|softbreak|code_inline|code_block)( |$)/;

/** Writes a placeholder for every text, so that only the document's own words are left. */
export const placeholderQuoting: Quoting = { span: () => `\`${placeholder}\``, block: () => `    ${placeholder}` };

/** Writes every text as it is: the control, which shows what the quoting prevents. */
export const noQuoting: Quoting = { span: (text) => text, block: (text) => text };

/** Parses a document. */
export function parseMarkdown(text: string): MarkdownStructure {
  const tokens = parser.parse(text, {});
  const flat = tokens.flatMap((token) => [token, ...(token.children ?? [])]);
  const headings = tokens.flatMap((token, at) =>
    token.type === "heading_open" ? [`${token.tag} ${ownWords(tokens[at + 1])}`] : [],
  );
  return {
    headings,
    parts: flat.map((token) => (token.type === "text" ? `text ${token.content}` : `${token.type} ${token.tag}`)),
    code: flat.filter(isCode).map(({ content }) => content),
  };
}

/** Returns the parts of a document that an export never consists of. */
export function findForeignParts({ parts }: MarkdownStructure): readonly string[] {
  return parts.filter((part) => !ownParts.test(part));
}

/** Returns the lines that a person who reads the file without a renderer takes for Fairlead's, without code in them. */
export function readOwnLines(text: string): readonly string[] {
  return text
    .split(/\r\n?|[\n\v\f\u0085\u2028\u2029]/)
    .filter((line) => line.trim() !== "" && !line.startsWith("    "))
    .map((line) => line.replaceAll(/(?<!`)(`+)(?!`)(?:.*?[^`])\1(?!`)/g, `\`${placeholder}\``));
}

function ownWords(inline: Token | undefined): string {
  return (inline?.children ?? []).map((token) => (isCode(token) ? placeholder : token.content)).join("");
}

function isCode({ type }: Token): boolean {
  return type === "code_inline" || type === "code_block" || type === "fence";
}

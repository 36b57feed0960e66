/** Lines that consist of marks: a fence, a line of dashes, the line below the head of a table. */
const markLines = /^[ \t]*(?:```.*|~~~.*|(?:[-*_=][ \t]*){3,}|\|?(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*(?::?-+:?)?)[ \t]*$/gmu;
/** What begins a line: a heading, a quote, a list item with or without a box. */
const lineStarts = /^(?:[ \t]*(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+)+(?:\[[ xX]\][ \t]+)?/gmu;

/** Code, links and pictures, and bold, italic or struck text. `2 * 3 * 4` and `snake_case_name` are none. */
const inlineMarks = new RegExp(
  [
    /(?<!`)(?<ticks>`+)(?!`)(?<code>[^\n]+?)(?<!`)\k<ticks>(?!`)/u,
    /!?\[(?<label>[^\]\n]+)\]\([^)\n]*\)/u,
    /(?<![\w*\\])(?<stars>\*{1,3})(?=[^\s*])(?<starred>[^\n]*?[^\s*])\k<stars>(?![\w*])/u,
    /(?<![\w\\])_(?=[^\s_])(?<underlined>[^\n]*?[^\s_])_(?!\w)/u,
    /~~(?=[^\s~])(?<struck>[^\n]*?[^\s~])~~/u,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gu",
);

/**
 * Removes the marks of Markdown from a short text of an agent, which would be noise where the text is one line of a list.
 * Not for commands: there, the same characters have a meaning.
 */
export function stripMarkdown(markdown: string): string {
  const text = markdown.replaceAll(/\r\n?/g, "\n").replaceAll(markLines, "").replaceAll(lineStarts, "");
  return stripInlineMarks(text);
}

function stripInlineMarks(text: string): string {
  return text.replaceAll(inlineMarks, (_whole: string, ...rest: readonly unknown[]) => {
    const { code, label, starred, underlined, struck } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    return code ?? stripInlineMarks(label ?? starred ?? underlined ?? struck ?? "");
  });
}

import { lexer } from "marked";

/** A text in blocks that can be shown one by one: paragraphs, lists, code, tables. */
export interface MarkdownBlocks {
  readonly text: string;
  /** The sources of the blocks that no longer change. */
  readonly finished: readonly string[];
  /** The source of the last block, which may grow. */
  readonly tail: string;
}

export const emptyBlocks: MarkdownBlocks = { text: "", finished: [], tail: "" };

/**
 * Splits a text into blocks. If it continues the text of `before`, only the last block and what follows it are parsed, so
 * that a long answer does not cost more with every word.
 */
export function extendBlocks(before: MarkdownBlocks, whole: string): MarkdownBlocks {
  // A line break of two characters may arrive in two pieces.
  const text = whole.endsWith("\r") ? whole.slice(0, -1) : whole;
  if (text === before.text) return before;
  const known = text.startsWith(before.text) ? before : emptyBlocks;
  const tail = known.tail + text.slice(known.text.length).replaceAll("\r\n", "\n");
  if (isOpenFence(tail)) return { text, finished: known.finished, tail };
  const sources = splitBlocks(tail);
  const last = sources.pop() ?? "";
  return { text, finished: sources.length === 0 ? known.finished : [...known.finished, ...sources], tail: last };
}

/** The source of a block has the empty lines after it, so that the sources joined are the text. */
function splitBlocks(text: string): string[] {
  const sources: string[] = [];
  let consumed = 0;
  for (const token of lexer(text)) {
    const source = token.raw;
    consumed += source.length;
    const last = sources.length - 1;
    if (token.type === "space" && last >= 0) sources[last] += source;
    else sources.push(source);
  }
  // The lexer changes some characters, such as tabs. Then the lengths differ, and the text stays one block.
  return consumed === text.length && sources.join("") === text ? sources : [text];
}

/** Whether the text is one code block that has not ended. It is not parsed again for each line. */
function isOpenFence(text: string): boolean {
  const fence = /^(?:`{3,}|~{3,})/.exec(text)?.[0];
  let end = text.indexOf("\n");
  if (fence === undefined || end === -1) return false;
  // Only lines that contain the fence are looked at: to split a long block for each piece of it costs seconds.
  for (let at = text.indexOf(fence, end); at !== -1; at = end === -1 ? -1 : text.indexOf(fence, end)) {
    end = text.indexOf("\n", at);
    const line = text.slice(text.lastIndexOf("\n", at) + 1, end === -1 ? text.length : end);
    if (/^ {0,3}(?:`+|~+)[ \t]*$/.test(line)) return false;
  }
  return true;
}

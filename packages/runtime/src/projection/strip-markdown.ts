import { stripInlineMarks } from "./strip-inline-marks.ts";

/** What begins a line: a heading, a quote, a list item. */
const lineStart = /[ \t]*(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+/uy;
const checkBox = /\[[ xX]\][ \t]+/uy;

/**
 * Removes the marks of Markdown from a text of an agent, which would be noise where the text is one line of a list. Reads each
 * character a fixed number of times, because the text is an agent's. Not for commands: there, the same characters have a
 * meaning.
 */
export function stripMarkdown(markdown: string): string {
  return markdown
    .split(/\r\n?|\n/)
    .map(stripLine)
    .join("\n");
}

function stripLine(line: string): string {
  if (isMarkLine(line.trim())) return "";
  let at = 0;
  for (lineStart.lastIndex = 0; lineStart.test(line);) at = lineStart.lastIndex;
  checkBox.lastIndex = at;
  if (at > 0 && checkBox.test(line)) at = checkBox.lastIndex;
  return stripInlineMarks(line.slice(at));
}

/** Whether a line consists of marks: a fence, a line of dashes, the line below the head of a table. */
function isMarkLine(line: string): boolean {
  if (line.startsWith("```") || line.startsWith("~~~")) return true;
  if (/^[|: \t-]+$/.test(line) && line.includes("|") && line.includes("-")) return true;
  return /^[-*_= \t]+$/.test(line) && line.replaceAll(/[ \t]/g, "").length >= 3;
}

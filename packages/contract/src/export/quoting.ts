import { escapeInvisible } from "./escape-invisible.ts";

/** Puts text of people, agents and tools into Markdown. */
export interface Quoting {
  /** Text within a line. The result has no line break. */
  readonly span: (text: string) => string;
  /** Text of any length, as lines of its own. The caller puts an empty line before and after it. */
  readonly block: (text: string) => string;
}

/**
 * Quotes text so that no renderer and no reader takes it for a part of the document. A span is a code span. A block is an
 * indented code block, because every line of it then differs from the lines of the document, also for a person who reads
 * the file without a renderer. A fence would need the longest run of its character before the first line is written.
 */
export const codeQuoting: Quoting = {
  span: (text) => {
    const line = escapeInvisible(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
    const longestRun = (line.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
    const fence = "`".repeat(longestRun + 1);
    // Without a space, a backtick at the edge would belong to the fence. An empty code span does not exist.
    const padding = line === "" || /^[` ]|[` ]$/.test(line) ? " " : "";
    return `${fence}${padding}${line}${padding}${fence}`;
  },
  block: (text) => {
    const lines = escapeInvisible(text.replaceAll("\r\n", "\n")).split("\n");
    return lines.map((line) => (line === "" ? "" : `    ${line}`)).join("\n");
  },
};

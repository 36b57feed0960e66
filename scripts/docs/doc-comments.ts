/** Reads the doc comment directly before a position of a source text. Returns null if there is none. */
export function readDocCommentBefore(source: string, position: number): string | null {
  const comment = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*$/.exec(source.slice(0, position))?.[1];
  return comment === undefined ? null : toParagraph(comment);
}

/** Reads the doc comments of the string literals in a list: `"name"` to its comment, for those that have one. */
export function readCommentsOfLiterals(source: string): ReadonlyMap<string, string> {
  const comments = new Map<string, string>();
  for (const match of source.matchAll(/^\s+"([\w-]+)",$/gm)) {
    const comment = readDocCommentBefore(source, match.index);
    if (comment !== null) comments.set(match[1] ?? "", comment);
  }
  return comments;
}

function toParagraph(comment: string): string {
  return comment
    .split("\n")
    .map((line) => line.replace(/^\s*\*\s?/, "").trim())
    .filter(Boolean)
    .join(" ");
}

/** A part of a line. A mark of emphasis without its partner is a text. */
interface LinePart {
  readonly text: string;
  isDropped: boolean;
}

/** Removes the marks of code, links and pictures, and bold, italic or struck text. `2 * 3 * 4` and `snake_case_name` are none. */
export function stripInlineMarks(line: string): string {
  const parts: LinePart[] = [];
  /** The marks that may still get a partner, the newest last. */
  const open: { readonly mark: string; readonly part: LinePart }[] = [];
  const unclosedCode = new Set<string>();
  const findBracket = searchForward(line, "]");
  const findParenthesis = searchForward(line, ")");
  for (let at = 0; at < line.length;) {
    const run = runAt(line, at);
    const end = at + run.length;
    if (run[0] === "`") {
      const close = unclosedCode.has(run) ? -1 : findRun(line, run, end);
      if (close === -1) unclosedCode.add(run);
      parts.push({ text: close === -1 ? run : line.slice(end, close), isDropped: false });
      at = close === -1 ? end : close + run.length;
    } else if (run === "[" || run === "![") {
      const label = findBracket(end);
      const close = line[label + 1] === "(" ? findParenthesis(label + 2) : -1;
      const isLink = label > end && close !== -1;
      parts.push({ text: isLink ? stripInlineMarks(line.slice(end, label)) : run, isDropped: false });
      at = isLink ? close + 1 : end;
    } else {
      const part = { text: run, isDropped: false };
      parts.push(part);
      if (isEmphasis(run)) {
        const opener = canClose(line, at, end) ? open.findLastIndex(({ mark }) => mark === run) : -1;
        if (opener !== -1) {
          for (const { part: partner } of open.splice(opener).slice(0, 1)) partner.isDropped = true;
          part.isDropped = true;
        } else if (canOpen(line, at, end)) open.push({ mark: run, part });
      }
      at = end;
    }
  }
  return parts.flatMap(({ text, isDropped }) => (isDropped ? [] : [text])).join("");
}

/** Returns the mark at a position: the same character repeated, the beginning of a link, or one other character. */
function runAt(line: string, at: number): string {
  const sign = line[at] ?? "";
  if (sign === "!" && line[at + 1] === "[") return "![";
  if (!"`*_~".includes(sign)) return sign;
  let end = at + 1;
  while (line[end] === sign) end += 1;
  return line.slice(at, end);
}

/** Finds the next run of the same characters that is exactly as long. */
function findRun(line: string, run: string, from: number): number {
  for (let at = line.indexOf(run, from); at !== -1;) {
    const found = runAt(line, at);
    if (found.length === run.length) return at;
    at = line.indexOf(run, at + found.length);
  }
  return -1;
}

/** Finds a character after positions that only grow, so that each part of the line is searched once. */
function searchForward(line: string, sign: string): (from: number) => number {
  let known = -2;
  return (from) => {
    if (known !== -1 && known < from) known = line.indexOf(sign, from);
    return known;
  };
}

function isEmphasis(run: string): boolean {
  return run === "*" || run === "**" || run === "***" || run === "_" || run === "~~";
}

function canOpen(line: string, at: number, end: number): boolean {
  const [before, after] = [line[at - 1] ?? "", line[end] ?? ""];
  return /\S/.test(after) && (line[at] === "~" || !/[\w\\]/.test(before));
}

function canClose(line: string, at: number, end: number): boolean {
  const [before, after] = [line[at - 1] ?? "", line[end] ?? ""];
  return /\S/.test(before) && (line[at] === "~" || !/\w/.test(after));
}

/** Printing numbers and plain texts. */
const literalCode = /^(?:(?:console\.log|print|puts)(?=[\s("']))?(?:[\d\s+*/%.,()-]|"[^"\\$`]*"|'[^'\\$`]*')*;?$/;
/** Printing a field of a JSON file of the workspace. */
const jsonCode = /^\s*(?:console\.log\()?require\(["']\.\/[\w/-]+\.json["']\)(?:\.\w+)*\)?;?\s*$/;

/** Reports whether code that is given as an argument only computes with what is written in it. */
export function isHarmlessCode(code: string): boolean {
  return code.length < 1000 && (literalCode.test(code.trim()) || jsonCode.test(code));
}

/** Stands for a line that is continued, where awk may or may not join what is around it. */
const continued = "\0";

/** Reports whether an awk program runs no other program and opens no file of its own. */
export function isHarmlessAwk(program: string): boolean {
  const code = withoutTexts(program)?.replaceAll("||", " ") ?? null;
  return code !== null && ["", " "].every((join) => isHarmlessAwkCode(code.replaceAll(continued, join)));
}

function isHarmlessAwkCode(code: string): boolean {
  if (/\b(?:system|getline|close|fflush)\b|@|\|/.test(code)) return false;
  return !code.split(/[;{}\n]/).some((statement) => /\bprintf?\b/.test(statement) && statement.includes(">"));
}

/** What a text or comment may hide if it is none. */
const hiddenAwk = /system|getline|close|fflush|[@|>]/;

/**
 * Removes texts, regular expressions and comments from an awk program; null if it is not clear where they begin and end.
 * Only a parser knows whether a slash divides or begins an expression. An expression with a quote or `#` that is taken for a
 * division lets a text that contains a slash, or a comment, begin in it.
 */
function withoutTexts(program: string): string | null {
  let code = "";
  let before = "";
  let hasSlash = false;
  for (let at = 0; at < program.length; at += 1) {
    const character = program[at] ?? "";
    if (character === "#") {
      const [comment = ""] = program.slice(at).split("\n", 1);
      if (comment.endsWith("\\") || (hasSlash && hiddenAwk.test(comment))) return null;
      at += comment.length - 1;
      continue;
    }
    if (character === "\\" && program[at + 1] === "\n") {
      code += continued;
      at += 1;
      continue;
    }
    // Elsewhere a slash divides.
    const isText = character === '"' || (character === "/" && /^$|[~({},;!&|\n]/.test(before));
    if (isText) {
      const text = program.slice(at, skipSection(program, at + 1, character));
      if (text.includes("\n")) return null;
      if (character === '"' && hasSlash && text.includes("/") && hiddenAwk.test(program)) return null;
      at += text.length - 1;
    }
    hasSlash ||= character === "/";
    code += isText ? " " : character;
    if (character.trim() !== "" || character === "\n") before = isText ? "0" : character;
  }
  return code;
}

/** Commands of sed without an argument. */
const plainSed = "dDgGhHlnNpPqQxz=F{}";

/** Reports whether a sed script runs no program and opens no file. What is not understood is not harmless. */
export function isHarmlessSed(script: string): boolean {
  let at = 0;
  const skip = (pattern: RegExp): void => {
    pattern.lastIndex = at;
    at += pattern.exec(script)?.[0].length ?? 0;
  };
  while (at < script.length) {
    skip(/[\s;]*/y);
    // Addresses: numbers, the last line, regular expressions, ranges.
    for (let before = -1; before !== at;) {
      before = at;
      skip(/[\d$,~+!\s]*/y);
      if (script[at] === "/") at = skipSection(script, at + 1, "/");
      else if (script[at] === "\\" && script[at + 1] !== undefined)
        at = skipSection(script, at + 2, script[at + 1] ?? "");
      if (before !== at) skip(/[IM]*/y);
    }
    const command = script[at];
    if (command === undefined) return true;
    at += 1;
    if (command === "s" || command === "y") {
      const mark = script[at] ?? "";
      if (mark === "" || mark === "\n" || mark === "\\") return false;
      at = skipSection(script, skipSection(script, at + 1, mark), mark);
      const start = at;
      skip(/[^;\n}]*/y);
      if (/[^gpiImM\d\s]/.test(script.slice(start, at))) return false;
    } else if ("aic".includes(command)) {
      skip(/(?:[^\n\\]|\\[\s\S])*/y);
    } else if ("btT:".includes(command)) {
      skip(/[^;\n}]*/y);
    } else if (command === "#") {
      skip(/[^\n]*/y);
    } else if ("qQlL".includes(command)) {
      skip(/[\s\d]*/y);
    } else if (!plainSed.includes(command)) return false;
  }
  return true;
}

function skipSection(script: string, start: number, mark: string): number {
  for (let at = start; at < script.length; at += 1) {
    if (script[at] === "\\") at += 1;
    else if (script[at] === mark) return at + 1;
  }
  return script.length;
}

/** A part of a regular expression. */
type Part =
  | { readonly type: "text"; readonly source: string }
  | { readonly type: "empty" }
  | { readonly type: "sequence"; readonly parts: readonly Part[] }
  | { readonly type: "choice"; readonly options: readonly Part[] }
  | { readonly type: "repeat"; readonly part: Part; readonly count: number };

/** Characters to try for a class, so that a match exists for each one that our patterns use. */
const candidates = Array.from(
  "a0 -_.:/xZ[]{}()<>=?*+^$|\\\"',;#@!%&~`4m\n\t\r\u001b\u0007\u009c\u009b\u009d\u0090\u0000\u00a0é€😀\ud83d",
);

/**
 * Returns texts that a regular expression probably matches, one for each option of its largest choice, in pieces. A
 * repeated part is a piece of its own, so that repeating some pieces repeats what the expression can repeat.
 */
export function exampleTexts({ source, flags }: RegExp): string[][] {
  const tree = new RegexParser(source).parseChoice();
  // Choices inside choices are combined, as far as their numbers of options differ.
  const options = Math.min(24, 3 * countOptions(tree));
  return Array.from({ length: options }, (_, turn) => mergeLiterals(formatExample(tree, turn, flags)));
}

interface Piece {
  readonly text: string;
  readonly isRepeated: boolean;
}

function formatExample(part: Part, turn: number, flags: string): Piece[] {
  switch (part.type) {
    case "text":
      return [{ text: findCharacter(part.source, flags, turn), isRepeated: false }];
    case "sequence":
      return part.parts.flatMap((one) => formatExample(one, turn, flags));
    case "choice":
      return formatExample(part.options[turn % part.options.length] ?? { type: "empty" }, turn, flags);
    case "repeat": {
      const pieces = formatExample(part.part, turn, flags);
      const [only] = pieces;
      if (pieces.length !== 1 || only === undefined) return pieces.map((piece) => ({ ...piece, isRepeated: true }));
      return [{ text: only.text.repeat(part.count), isRepeated: true }];
    }
    default:
      return [];
  }
}

function mergeLiterals(pieces: readonly Piece[]): string[] {
  const merged: Piece[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (last === undefined || last.isRepeated || piece.isRepeated) merged.push(piece);
    else merged[merged.length - 1] = { text: last.text + piece.text, isRepeated: false };
  }
  return merged.map(({ text }) => text).filter((text) => text !== "");
}

const characterCache = new Map<string, readonly string[]>();

/** A character that an atom matches. Different turns try different ones. */
function findCharacter(source: string, flags: string, turn: number): string {
  const key = `${source}/${flags}`;
  const known = characterCache.get(key);
  const regex = new RegExp(`^(?:${source})$`, flags.replaceAll(/[gy]/g, ""));
  const named = source
    .matchAll(/\\(?:x|u\{?)([\da-f]+)/gi)
    .map(([, code = ""]) => String.fromCodePoint(parseInt(code, 16)));
  const matching =
    known ?? [...candidates, ...Array.from(source), ...named].filter((character) => regex.test(character));
  characterCache.set(key, matching);
  return matching[turn % Math.min(3, matching.length)] ?? "";
}

function countOptions(part: Part): number {
  if (part.type === "choice") return Math.max(part.options.length, ...part.options.map(countOptions));
  if (part.type === "sequence") return Math.max(3, ...part.parts.map(countOptions));
  return part.type === "repeat" ? countOptions(part.part) : 1;
}

/** Reads the syntax that is needed to build examples. Assertions and references match nothing here. */
class RegexParser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parseChoice(): Part {
    const options = [this.#parseSequence()];
    while (this.#take("|")) options.push(this.#parseSequence());
    return options.length === 1 && options[0] !== undefined ? options[0] : { type: "choice", options };
  }

  #parseSequence(): Part {
    const parts: Part[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source.charAt(this.#at))) {
      const atom = this.#parseAtom();
      parts.push(this.#parseQuantifier(atom));
    }
    return { type: "sequence", parts };
  }

  #parseAtom(): Part {
    const { group } = this.#match(/\((?<group>\?<?[=!]|\?:|\?<\w+>|)/y) ?? {};
    if (group !== undefined) {
      const inner = this.parseChoice();
      this.#take(")");
      return /^\?<?[=!]/.test(group) ? { type: "empty" } : inner;
    }
    if (this.#match(/\^|\$|\\b|\\B/y)) return { type: "empty" };
    const atom = this.#match(
      /(?<text>\[\^?\]?(?:\\.|[^\]\\])*\]|\\u\{[^}]*\}|\\u\w{4}|\\x\w\w|\\p\{[^}]*\}|\\c\w|\\[^]|[^])/uy,
    );
    return { type: "text", source: atom?.["text"] ?? "" };
  }

  #parseQuantifier(part: Part): Part {
    const { range } = this.#match(/(?<range>[*+?]|\{\d+(?:,\d*)?\})\??/y) ?? {};
    if (range === undefined) return part;
    return { type: "repeat", part, count: Math.max(1, Number(/\d+/.exec(range)?.[0] ?? 1)) };
  }

  #take(text: string): boolean {
    const found = this.#source.startsWith(text, this.#at);
    if (found) this.#at += text.length;
    return found;
  }

  #match(pattern: RegExp): Record<string, string> | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source);
    if (match === null) return null;
    this.#at = pattern.lastIndex;
    return { ...match.groups };
  }
}

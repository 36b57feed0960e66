/** Checks the rules of docs/style.md that a program can check: marker words, and names declared by two packages. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One breach of a rule, with the place where it is. */
export interface StyleFinding {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** An accepted marker word: the file, and the words or `*` for all. Every entry needs a reason. */
export interface StyleException {
  readonly file: string;
  readonly text: string;
  readonly reason: string;
}

/** The exceptions in test/style/exceptions.json. */
export interface StyleExceptions {
  readonly words: readonly StyleException[];
  readonly homonyms: readonly { readonly name: string; readonly reason: string }[];
}

export function readExceptions(root: string): StyleExceptions {
  return JSON.parse(readFileSync(join(root, "test/style/exceptions.json"), "utf8")) as StyleExceptions;
}

// Built from parts, so that this file does not contain the words that it looks for.
const markers = [
  ["who", "(so)?ever"],
  ["some", "body"],
  ["for", " ever"],
  ["let", " go of"],
  ["made", " anew"],
  ["(goes|go|went)", " on"],
  ["is", " let in"],
  ["is said", " to be"],
  ["there", "of"],
  ["hou", "se"],
  ["the", " ground"],
].map((parts) => parts.join(""));

const marker = new RegExp(String.raw`\b(${markers.join("|").replaceAll(" ", String.raw`\s+(?:\* |// |> )?`)})\b`, "gi");

const textFiles = [
  "*.md",
  "docs/**/*.{md,json}",
  "packages/*/*.{json,md}",
  "packages/*/{src,programs}/**/*.{ts,tsx,css,html}",
  "{test,scripts,claims,bench,examples}/**/*.{ts,sh,pl,md,json,yaml}",
  "scripts/offline",
  ".ci/run",
];

const sourceFiles = ["packages/*/{src,programs}/**/*.{ts,tsx}"];

/** Marker words of the old style, in prose, strings, comments and names. Recordings are data and are not read. */
export function findMarkerWords(root: string): StyleFinding[] {
  return filesOf(root, textFiles).flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return [...text.matchAll(marker)].map((match) => ({
      file,
      line: text.slice(0, match.index).split("\n").length,
      text: match[0].replaceAll(/\s+(\* |\/\/ |> )?/g, " ").toLowerCase(),
    }));
  });
}

/** A name that two packages export as declarations of their own. */
export interface Homonym {
  readonly name: string;
  readonly packages: readonly string[];
}

const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type) (\w+)/gm;

export function findHomonyms(root: string): Homonym[] {
  const packages = new Map<string, Set<string>>();
  for (const file of filesOf(root, sourceFiles)) {
    if (file.endsWith(".test.ts")) continue;
    const owner = file.split("/")[1] ?? "";
    for (const [, name = ""] of readFileSync(join(root, file), "utf8").matchAll(declaration)) {
      packages.set(name, (packages.get(name) ?? new Set()).add(owner));
    }
  }
  return [...packages]
    .filter(([, owners]) => owners.size > 1)
    .map(([name, owners]) => ({ name, packages: [...owners].toSorted() }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

/** Findings that no exception covers. */
export function withoutExceptions(
  findings: readonly StyleFinding[],
  exceptions: readonly StyleException[],
): StyleFinding[] {
  return findings.filter(
    ({ file, text }) => !exceptions.some((one) => one.file === file && ["*", text].includes(one.text)),
  );
}

function filesOf(root: string, patterns: readonly string[]): string[] {
  return globSync(patterns, { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist|fixtures)$/.test(path) })
    .filter((file) => !/(^|\/)(node_modules|dist|fixtures)\//.test(file))
    .toSorted();
}

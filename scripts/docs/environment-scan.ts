import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The sources of the program. Test helpers and tests are not part of it. */
const programSources = ["packages/*/{src,programs}/**/*.ts"];
/** Scripts and proofs read variables of their own, which begin with the program's name. */
const toolSources = ["{scripts,claims,bench,measure}/**/*.ts"];

const readPatterns = [
  // process.env["NAME"], environment["NAME"]
  /\b(?:env|environment)\["(\w+)"\]/g,
  // process.env.NAME
  /\b(?:env|environment)\.([A-Z][A-Z0-9_]+)\b/g,
  // const { NAME, OTHER: name = "" } = process.env
  /\bconst \{([^{}]*)\} = (?:\w+\.)*(?:env|environment);/g,
];
/** Any mention in code, so that a name in a list or in a marker counts too. */
const ownNames = /\bFAIRLEAD_[A-Z_]*[A-Z]\b/g;

/** Finds the environment variables that the code below a root reads, with the files that read them. */
export function scanEnvironmentReads(root: string): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>();
  const add = (name: string, file: string): void => {
    const known = files.get(name) ?? [];
    if (!known.includes(file)) files.set(name, [...known, file]);
  };
  for (const file of listSources(root, programSources)) {
    const source = readCode(root, file);
    for (const name of findReads(source)) add(name, file);
    for (const [name] of source.matchAll(ownNames)) add(name, file);
  }
  for (const file of listSources(root, toolSources)) {
    for (const name of findReads(readCode(root, file))) if (name.startsWith("FAIRLEAD_")) add(name, file);
  }
  return files;
}

/** Finds the names that a source text reads from an environment. */
export function findReads(source: string): string[] {
  const matches = readPatterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, names = ""]) => names));
  const names = matches.flatMap((list) => list.split(",").map((entry) => entry.trim().split(/[:=\s]/)[0] ?? ""));
  return [...new Set(names.filter((name) => /^[A-Za-z_]\w*$/.test(name)))];
}

function listSources(root: string, patterns: readonly string[]): string[] {
  return globSync(patterns, { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist|fixtures)$/.test(path) })
    .filter(
      (file) => !/\.test\.ts$|^packages\/testing\/|^scripts\/docs\/|\/(?:node_modules|dist|fixtures)\//.test(file),
    )
    .toSorted();
}

/** Reads a file without its comments, which mention variables that the file does not read. */
function readCode(root: string, file: string): string {
  return readFileSync(join(root, file), "utf8")
    .replaceAll(/\/\*[^]*?\*\//g, "")
    .replaceAll(/^\s*\/\/.*$/gm, "");
}

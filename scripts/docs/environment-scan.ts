import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { findReads } from "./environment-reads.ts";

/** The sources of the program. Test helpers and tests are not part of it. */
const programSources = ["packages/*/{src,programs}/**/*.{ts,tsx}"];
/** Scripts and proofs read variables of their own, which begin with the program's name. */
const toolSources = ["{scripts,claims,bench,measure}/**/*.ts"];

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
    const source = readSource(root, file);
    for (const name of findReads(source, file)) add(name, file);
    if (!source.includes("FAIRLEAD_")) continue;
    for (const [name] of removeComments(source, file).matchAll(ownNames)) add(name, file);
  }
  for (const file of listSources(root, toolSources)) {
    for (const name of findReads(readSource(root, file))) if (name.startsWith("FAIRLEAD_")) add(name, file);
  }
  return files;
}

function listSources(root: string, patterns: readonly string[]): string[] {
  return globSync(patterns, { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist|fixtures)$/.test(path) })
    .filter(
      (file) => !/\.test\.tsx?$|^packages\/testing\/|^scripts\/docs\/|\/(?:node_modules|dist|fixtures)\//.test(file),
    )
    .toSorted();
}

function readSource(root: string, file: string): string {
  return readFileSync(join(root, file), "utf8");
}

/** Blanks the comments, which mention variables that the code does not read. */
function removeComments(source: string, file: string): string {
  return parseSync(file, source).comments.reduceRight(
    (text, { start, end }) => text.slice(0, start) + text.slice(end),
    source,
  );
}

import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** A package of ours. */
export interface Room {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, { readonly built: string }>>;
}

/**
 * The compiled files of a room that can run with these packages around them. What needs others is for
 * tests and for the repository; it is not shipped, nor is what needs that.
 */
export function packedFiles(room: Room, packages: ReadonlySet<string>): readonly string[] {
  // By its sources: the compiler leaves behind what it has made of files that are gone.
  const files = globSync("{src,programs}/**/*.ts", { cwd: room.folder, exclude: ["**/fixtures/**"] })
    .filter((file) => !/(\.|-for-)test\.ts$/.test(file))
    .map((file) => join("dist", file.replace(/\.ts$/, ".js")));
  const needs = new Map(files.map((file) => [file, importsOf(join(room.folder, file))]));
  for (let before = 0; before !== needs.size;) {
    before = needs.size;
    for (const [file, imports] of needs) {
      if (!imports.every((wanted) => isThere(wanted, file))) needs.delete(file);
    }
  }
  const entry = normalize(room.exports["."]?.built ?? "dist/src/main.js");
  if (!needs.has(entry)) throw new Error(`${room.name} cannot be packed: ${entry} needs what is not shipped.`);
  return [...needs.keys()].toSorted();

  function isThere(wanted: string, file: string): boolean {
    if (wanted.startsWith("node:")) return true;
    if (wanted.startsWith(".")) return needs.has(normalize(join(dirname(file), wanted)));
    return packages.has(wanted.split("/", wanted.startsWith("@") ? 2 : 1).join("/"));
  }
}

/** What a file cannot do without: a package that it asks for only at need may be missing, a file beside it may not. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const found = text.matchAll(/^(?:import|export)\b(?:[^;"'=]*\bfrom)? "([^"]+)";|\bimport\("(\.[^"]+)"\)/gm);
  return [...found].map(([, begins, later = ""]) => begins ?? later);
}

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";

/** The regular expressions of a file, and the number of those that are built at run time and cannot be read. */
export interface FileRegexes {
  readonly file: string;
  readonly regexes: readonly RegExp[];
  readonly computed: number;
}

/** Packages whose code reads no output of an agent that a user runs: scripted models, and code that only tests use. */
const developmentPackages = ["lab", "testing", "conformance"];

/** Finds the regular expressions in the sources of all packages that users run. */
export function findRegexes(root: string): FileRegexes[] {
  return globSync("packages/*/{src,programs}/**/*.{ts,tsx}", { cwd: root })
    .filter((file) => !/\.test\.tsx?$/.test(file) && !developmentPackages.includes(file.split("/")[1] ?? ""))
    .toSorted()
    .map((file) => ({ file, ...readRegexes(file, readFileSync(join(root, file), "utf8")) }))
    .filter(({ regexes, computed }) => regexes.length > 0 || computed > 0);
}

/** Reads the regular expressions in a source text. */
export function readRegexes(file: string, source: string): Omit<FileRegexes, "file"> {
  const regexes: RegExp[] = [];
  let computed = 0;
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== "object" || node === null) return;
    const { type, regex, callee, ...children } = node as {
      readonly type?: string;
      readonly regex?: { readonly pattern: string; readonly flags: string };
      readonly callee?: { readonly name?: string };
    };
    if (type === "Literal" && regex !== undefined) regexes.push(new RegExp(regex.pattern, regex.flags));
    if ((type === "NewExpression" || type === "CallExpression") && callee?.name === "RegExp") computed += 1;
    visit(callee);
    for (const child of Object.values(children)) visit(child);
  };
  visit(parseSync(file, source).program);
  return { regexes, computed };
}

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../scripts/run.ts";

export interface SourceSize {
  readonly file: string;
  readonly lines: number;
}

/** The number of lines of source files. Tests and recordings do not count. */
export function measureSources(pattern: string): SourceSize[] {
  return globSync(pattern, { cwd: root })
    .filter((file) => !/\.test\.tsx?$/.test(file) && !file.includes("/fixtures/") && !file.includes("/node_modules/"))
    .map((file) => ({ file, lines: readFileSync(join(root, file), "utf8").trimEnd().split("\n").length }));
}

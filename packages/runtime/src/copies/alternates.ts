import { join } from "node:path";
import { readPlainFile } from "../host/read-plain-file.ts";
import type { Home } from "../home.ts";
import { FairleadError } from "@fairlead/contract";

const maxBytes = 64 * 1024;

/** The file of a git folder that names the folders whose objects it borrows. */
export const alternatesFile = (gitFolder: string): string => join(gitFolder, "objects/info/alternates");

/** The content of that file. A path in it that begins with a quote is a C string. */
export function formatAlternates(folders: readonly string[]): string {
  return folders.map((path) => `${/^"|\n/.test(path) ? JSON.stringify(path) : path}\n`).join("");
}

/**
 * Finds the objects of a run's repository. Throws `not-supported` if the run is about another repository than this one: a
 * session in one workspace must not read the work of another.
 */
export function findRunObjects(home: Home, run: string, commonFolder: string): string {
  const gitFolder = home.runRepository(run);
  const borrowed = readPlainFile(alternatesFile(gitFolder), maxBytes);
  if (borrowed === formatAlternates([join(commonFolder, "objects")])) return join(gitFolder, "objects");
  throw new FairleadError("not-supported", `${run} is not a run in this repository.`);
}

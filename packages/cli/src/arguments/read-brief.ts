import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Brief } from "@fairlead/contract";
import { UsageError } from "../usage-error.ts";

/** Reads a brief from a YAML or JSON file, relative to the folder. Throws a `UsageError` for a file that is not valid. */
export async function readBrief(folder: string, file: string): Promise<Brief> {
  const path = resolve(folder, file);
  const { parseBrief } = await import("@fairlead/runtime");
  try {
    return parseBrief(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(`The brief ${path} cannot be used. ${(error as Error).message}`, null, { cause: error });
  }
}

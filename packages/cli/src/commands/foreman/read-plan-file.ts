import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Plan } from "@fairlead/api";
import { UsageError } from "../../usage-error.ts";

/** Reads a plan from a YAML or JSON file, relative to the folder. Throws a `UsageError` for a file that is not valid. */
export async function readPlanFile(folder: string, file: string): Promise<Plan> {
  const path = resolve(folder, file);
  const { parsePlan } = await import("@fairlead/foreman");
  try {
    return parsePlan(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(`The plan ${path} cannot be used. ${(error as Error).message}`, null, { cause: error });
  }
}

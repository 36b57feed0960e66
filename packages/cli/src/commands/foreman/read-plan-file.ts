import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Plan } from "@fairlead/api";
import { UsageError } from "../../usage-error.ts";

const writeCommand = 'fairlead foreman plan "GOAL"';

/** Reads a plan from a YAML or JSON file, relative to the folder. Throws a `UsageError` for a file that is not valid. */
export async function readPlanFile(folder: string, file: string): Promise<Plan> {
  const path = resolve(folder, file);
  const text = readText(path);
  const { parsePlan } = await import("@fairlead/foreman");
  try {
    return parsePlan(text);
  } catch (error) {
    throw new UsageError(`The plan ${path} cannot be used. ${(error as Error).message}`, null, { cause: error });
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problems: Readonly<Record<string, string>> = {
      ENOENT: `There is no file ${path}. An agent writes a plan with:`,
      EISDIR: `${path} is a folder, and not the file of a plan. An agent writes a plan with:`,
      EACCES: `You may not read ${path}.`,
    };
    const problem = problems[code ?? ""] ?? `The plan ${path} cannot be read: ${message}`;
    const isMissing = code === "ENOENT" || code === "EISDIR";
    throw new UsageError(isMissing ? `${problem} ${writeCommand}` : problem, null, { cause: error });
  }
}

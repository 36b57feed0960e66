import { readFileSync } from "node:fs";
import type { FleetFile } from "@fairlead/nats";
import { UsageError } from "../../usage-error.ts";

/** Reads the file of a fleet. Throws a `UsageError` that names the line and the key of each problem. */
export async function readFleetFile(path: string): Promise<FleetFile> {
  const text = readText(path);
  const [{ parseConfig }, nats] = await Promise.all([import("@fairlead/runtime"), import("@fairlead/nats")]);
  try {
    return parseConfig(text, nats.FleetFile);
  } catch (error) {
    const { message } = error as Error;
    // The reason: a person who writes the password into the file would otherwise look for the right key.
    const reason = message.includes('There is no key "password"')
      ? "\nA fleet's file has no secrets: name an environment variable that has the password in passwordVariable."
      : "";
    throw new UsageError(`The fleet's file ${path} cannot be used. ${message}${reason}`, null, { cause: error });
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problems: Readonly<Record<string, string>> = {
      ENOENT: `There is no file ${path}. Write one as docs/build/fleet.md shows, or correct the path.`,
      EISDIR: `${path} is a folder, and not the file of a fleet. Correct the path.`,
      EACCES: `You may not read ${path}.`,
    };
    throw new UsageError(problems[code ?? ""] ?? `The fleet's file ${path} cannot be read: ${message}`, null, {
      cause: error,
    });
  }
}

import { dirname, resolve } from "node:path";
import type { CliContext } from "../../cli-context.ts";
import { readFleetFile } from "./read-fleet-file.ts";

/** Finds the files with credentials that the file of a fleet names. An agent that could read one could approve its own calls. */
export async function findLoginFiles({ folder }: Pick<CliContext, "folder">, file: string): Promise<readonly string[]> {
  const path = resolve(folder, file);
  const { login, system } = await readFleetFile(path);
  return [login, system].flatMap((one) =>
    [one?.credentials, one?.passwordFile].flatMap((name) => (name === undefined ? [] : [resolve(dirname(path), name)])),
  );
}

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { FairleadError } from "@fairlead/contract";

/** Holds a file until disposed of; null while another process does. */
export async function tryToHold(file: string): Promise<Disposable | null> {
  // Only who starts or ends a daemon needs the server's code, and it is large.
  const { holdAlone } = await import("@fairlead/server");
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    return holdAlone(file);
  } catch (error) {
    if (!FairleadError.is(error, "unavailable")) throw error;
    return null;
  }
}

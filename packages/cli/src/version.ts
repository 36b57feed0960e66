import { readFileSync } from "node:fs";

/** The version of this command, and of the daemon that it starts. Tests may have an older one. */
export function versionOf(environment: Readonly<Record<string, string | undefined>>): string {
  const asked = environment["FAIRLEAD_VERSION_FOR_TEST"];
  if (asked !== undefined) return asked;
  const file = new URL(import.meta.url.endsWith(".ts") ? "../package.json" : "../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

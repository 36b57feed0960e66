import { globSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The keeper's program: the compiled one where it is as new as its source, for a process that strips types takes three
 * times the memory, and there is one for each session.
 */
export function mainFile(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  if (import.meta.url.endsWith(".js")) return join(here, "main.js");
  const compiled = join(here, "../dist/src/main.js");
  const newest = Math.max(...globSync("*.ts", { cwd: here }).map((file) => statSync(join(here, file)).mtimeMs));
  return (statSync(compiled, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= newest ? compiled : join(here, "main.ts");
}

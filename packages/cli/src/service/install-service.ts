import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { ServiceFile } from "./service-file.ts";

/** Writes the file; it starts nothing. */
export function installService({ file, text }: ServiceFile): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
}

/** Takes the file away again, and whatever the system made of it; gives whether it was there. It ends nothing. */
export function uninstallService({ file, traces }: ServiceFile): boolean {
  const wasThere = existsSync(file);
  for (const one of [file, ...traces]) rmSync(one, { force: true });
  return wasThere;
}

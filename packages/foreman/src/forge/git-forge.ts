import { mkdir, readFile, writeFile } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import type { Forge } from "./forge.ts";

/**
 * A bare repository as a forge. A request is a file beside the repository, if that is on this machine. Elsewhere the pushed
 * branch is the request.
 */
export function createGitForge(address: string): Forge {
  return {
    async request(request) {
      if (!isAbsolute(address)) return `${address} ${request.branch}`;
      const folder = `${resolve(address)}.requests`;
      const file = join(folder, `${request.branch.replaceAll("/", "-")}.json`);
      await mkdir(folder, { recursive: true });
      const content = `${JSON.stringify(request, null, 2)}\n`;
      try {
        await writeFile(file, content, { flag: "wx" });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
        // A crash may have cut the file. The same request is written again.
        if (!isComplete(await readFile(file, "utf8"))) await writeFile(file, content);
      }
      return file;
    },
  };
}

function isComplete(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

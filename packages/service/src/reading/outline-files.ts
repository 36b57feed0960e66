import { existsSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Home } from "@fairlead/runtime";
import { outlineVersion, type OutlineContent } from "./outline-fold.ts";

/** Keeps outlines of sessions. What it cannot keep or load is read from the journal again. */
export interface OutlineStore {
  load(session: string): Promise<OutlineContent | null>;
  save(session: string, content: OutlineContent): Promise<void>;
}

/** Keeps the outline of each session in a file of its folder, which is removed with the session. */
export class OutlineFiles implements OutlineStore {
  readonly #home: Home;

  constructor(home: Home) {
    this.#home = home;
  }

  async load(session: string): Promise<OutlineContent | null> {
    try {
      const content = JSON.parse(await readFile(this.#home.outlineFile(session), "utf8")) as OutlineContent;
      return content.version === outlineVersion ? content : null;
    } catch {
      return null;
    }
  }

  async save(session: string, content: OutlineContent): Promise<void> {
    const file = this.#home.outlineFile(session);
    // A session of another host, or one that was forgotten since, has no folder.
    if (!existsSync(dirname(file))) return;
    // Replaced as a whole: another process may read or write it at the same time.
    const newFile = `${file}.${process.pid}`;
    try {
      await writeFile(newFile, JSON.stringify(content), { mode: 0o600 });
      await rename(newFile, file);
    } catch {
      await rm(newFile, { force: true }).catch(() => {});
    }
  }
}

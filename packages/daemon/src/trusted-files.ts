import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { FairleadError } from "@fairlead/contract";
import type { WorkspaceFileContent } from "@fairlead/runtime";
import type { Home } from "@fairlead/runtime/home";

/** A workspace file that a person has trusted, with the digest of its content at that time, or a trusted folder. */
export interface TrustedFile {
  readonly path: string;
  /** `any` for a folder: agents may use whatever it contains to configure themselves. */
  readonly sha256: string;
  readonly trustedAt: string;
}

/** The digest of a trusted folder. It is no digest of a file. */
const anyContent = "any";

/**
 * The workspace files and folders that the owner of a data directory trusts. Each call reads the list from disk, so that changes by
 * another process apply at once.
 */
export class TrustedFiles {
  readonly #file: string;

  constructor(home: Home) {
    this.#file = home.trustedFile;
  }

  trusts({ path, text }: WorkspaceFileContent): boolean {
    const sha256 = digestOf(text);
    return this.list().some((one) => one.path === path && one.sha256 === sha256);
  }

  async trust({ path, text }: WorkspaceFileContent): Promise<TrustedFile> {
    const trustedFile = { path, sha256: digestOf(text), trustedAt: new Date().toISOString() };
    await this.#update((files) => [...files.filter((one) => one.path !== path), trustedFile]);
    return trustedFile;
  }

  /** Whether a person trusts a folder, or one that contains it. */
  trustsFolder(folder: string): boolean {
    const path = realpathSync(folder);
    const trustedFolders = this.list().filter(({ sha256 }) => sha256 === anyContent);
    return trustedFolders.some((one) => path === one.path || path.startsWith(join(one.path, sep)));
  }

  async trustFolder(folder: string): Promise<TrustedFile> {
    const path = realpathSync(folder);
    const trustedFolder = { path, sha256: anyContent, trustedAt: new Date().toISOString() };
    await this.#update((files) => [...files.filter((one) => one.path !== path), trustedFolder]);
    return trustedFolder;
  }

  /** Removes a file or a folder from the list. Returns whether it was in the list. */
  async remove(path: string): Promise<boolean> {
    let found = false;
    await this.#update((files) => {
      found = files.some((one) => one.path === path);
      return files.filter((one) => one.path !== path);
    });
    return found;
  }

  list(): readonly TrustedFile[] {
    try {
      const files: unknown = JSON.parse(readFileSync(this.#file, "utf8"));
      if (Array.isArray(files) && files.every(isTrustedFile)) return files;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      if (!(error instanceof SyntaxError)) throw error;
    }
    throw new FairleadError(
      "corrupt",
      `${this.#file} is not a valid list of trusted files. Move it away to trust none of them.`,
    );
  }

  async #update(update: (files: readonly TrustedFile[]) => readonly TrustedFile[]): Promise<void> {
    const { rewriteLocked } = await import("@fairlead/engine");
    rewriteLocked(this.#file, () => `${JSON.stringify(update(this.list()), null, 2)}\n`);
  }
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function isTrustedFile(value: unknown): value is TrustedFile {
  if (typeof value !== "object" || value === null) return false;
  const { path, sha256, trustedAt } = value as Record<string, unknown>;
  return [path, sha256, trustedAt].every((one) => typeof one === "string");
}

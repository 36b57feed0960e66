import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { FairleadError } from "@fairlead/contract";
import type { WorkspaceFileContent } from "@fairlead/runtime";
import type { Home } from "@fairlead/runtime/home";

/** A workspace file that a person has trusted, with the digest of its content at that time. */
export interface TrustedFile {
  readonly path: string;
  readonly sha256: string;
  readonly trustedAt: string;
}

/**
 * The workspace files that the owner of a data directory trusts. Each call reads the list from disk, so that changes by
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

  /** Removes a file from the list. Returns whether it was in the list. */
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
    const { rewriteLocked } = await import("@fairlead/server");
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

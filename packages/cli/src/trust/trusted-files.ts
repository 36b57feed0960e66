import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import type { FoundFile } from "@fairlead/runtime";

/** A file that a person has trusted, as it stood then. */
export interface TrustedFile {
  readonly path: string;
  readonly sha256: string;
  readonly trustedAt: string;
}

/**
 * The workspaces' files that the owner of a home trusts. It is read anew each time, so that what another process trusts
 * or no longer trusts counts at once.
 */
export class TrustedFiles {
  readonly #file: string;

  constructor(home: string) {
    this.#file = join(home, "trusted.json");
  }

  trusts({ path, text }: FoundFile): boolean {
    const sha256 = digestOf(text);
    return this.list().some((one) => one.path === path && one.sha256 === sha256);
  }

  async trust({ path, text }: FoundFile): Promise<TrustedFile> {
    const trusted = { path, sha256: digestOf(text), trustedAt: new Date().toISOString() };
    await this.#change((files) => [...files.filter((one) => one.path !== path), trusted]);
    return trusted;
  }

  /** Trusts a file no longer; says whether it did. */
  async remove(path: string): Promise<boolean> {
    let found = false;
    await this.#change((files) => {
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
    throw new FairleadError("corrupt", `${this.#file} cannot be read; move it away to trust nothing.`);
  }

  async #change(change: (files: readonly TrustedFile[]) => readonly TrustedFile[]): Promise<void> {
    const { rewriteAlone } = await import("@fairlead/server");
    rewriteAlone(this.#file, () => `${JSON.stringify(change(this.list()), null, 2)}\n`);
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

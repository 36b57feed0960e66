import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The service cuts longer patches. */
const maxPatchBytes = 1_048_576;
/** The lines of a patch about a file, without those of its content. */
const headBytes = 180;

/** A repository in which all files change at once, so that the patch has almost a MiB. */
export class PatchWorkspace {
  readonly folder: string;
  readonly #files: number;

  constructor(folder: string, files: number) {
    this.folder = folder;
    this.#files = files;
    this.#write("before");
    this.#git("init", "-q");
    this.#git("add", ".");
    this.#git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "before");
  }

  change(): void {
    this.#write("after");
  }

  /** Milliseconds in which git alone prints the patch. */
  measureGit(): number {
    const startedAt = performance.now();
    this.#git("diff", "HEAD");
    return performance.now() - startedAt;
  }

  #git(...args: string[]): Buffer {
    return execFileSync("git", args, { cwd: this.folder, maxBuffer: 4 * maxPatchBytes });
  }

  #write(word: string): void {
    for (let file = 0; file < this.#files; file++) {
      const folder = join(this.folder, `src/part${file % 20}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `file${file}.ts`), this.#content(file, word));
    }
  }

  /** Three of eight lines change, so a file is one part of the patch with context between its changes. */
  #content(file: number, word: string): string {
    const lines: string[] = [];
    let room = maxPatchBytes / this.#files - headBytes;
    for (let number = 0; ; number++) {
      const isChanged = number % 8 < 3;
      const name = isChanged ? word.padEnd(6) : "always";
      const line = `  const value${number} = computeBudget(${file}, "${name}", ${number});\n`;
      room -= (line.length + 1) * (isChanged ? 2 : 1);
      if (room < 0) return lines.join("");
      lines.push(line);
    }
  }
}

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const repository = join(import.meta.dirname, "..");

/** A checkout of an earlier commit that can run its commands. Removed when disposed. */
export class EarlierCheckout implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "earlier-"));

  constructor(commit: string) {
    execFileSync("git", ["worktree", "add", "--detach", "--force", this.folder, commit], {
      cwd: repository,
      stdio: "ignore",
    });
    for (const modules of globSync(["node_modules", "packages/*/node_modules"], { cwd: repository })) {
      // The links to the packages of the workspace are relative, so a copy leads to the earlier packages.
      if (existsSync(join(this.folder, modules, ".."))) {
        cpSync(join(repository, modules), join(this.folder, relative("", modules)), {
          recursive: true,
          verbatimSymlinks: true,
        });
      }
    }
  }

  [Symbol.dispose](): void {
    execFileSync("git", ["worktree", "remove", "--force", this.folder], { cwd: repository, stdio: "ignore" });
    rmSync(this.folder, { recursive: true, force: true });
  }
}

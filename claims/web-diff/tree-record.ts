import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Records the states of a folder with git alone, in a repository of its own. */
export class TreeRecord {
  readonly #folder: string;
  readonly #repository: string;

  constructor(folder: string, scratch: string) {
    this.#folder = folder;
    this.#repository = join(scratch, "truth.git");
    execFileSync("git", ["init", "--quiet", "--bare", this.#repository]);
  }

  /** Records the state of the folder, without the files that it ignores. */
  record(): string {
    this.#git("add", "--all");
    return this.#git("write-tree").trim();
  }

  /** The patch between two states, as git prints it. */
  diff(before: string, after: string): string {
    return this.#git("diff-tree", "-r", "--no-renames", "--patch", "--full-index", before, after);
  }

  #git(...args: string[]): string {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
    const folders = [`--git-dir=${this.#repository}`, `--work-tree=${this.#folder}`, "-c", "core.quotePath=false"];
    return execFileSync("git", [...folders, ...args], { cwd: this.#folder, env, encoding: "utf8", stdio: "pipe" });
  }
}

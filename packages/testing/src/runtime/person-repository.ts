import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A git repository of a person, for tests. */
export class PersonRepository {
  readonly folder: string;

  constructor(folder: string, files: Readonly<Record<string, string>> = { "a.txt": "one\n" }) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    this.git("init", "--quiet", "--initial-branch=main");
    this.git("config", "user.name", "Person");
    this.git("config", "user.email", "person@example.com");
    if (Object.keys(files).length > 0) this.commit(files);
  }

  /** Runs git without the user's configuration, and returns its output. */
  git(...args: string[]): string {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
    return execFileSync("git", args, { cwd: this.folder, env, encoding: "utf8", stdio: "pipe" }).trim();
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, name)), { recursive: true });
      writeFileSync(join(this.folder, name), text);
    }
  }

  /** Commits files and returns the commit. */
  commit(files: Readonly<Record<string, string>>): string {
    this.write(files);
    this.git("add", "--all");
    this.git("commit", "--quiet", "-m", "change");
    return this.git("rev-parse", "HEAD");
  }
}

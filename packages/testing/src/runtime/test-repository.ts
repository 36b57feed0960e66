import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A git repository with one commit, and a file outside of it that shows whether one of its programs has run. */
export class TestRepository implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "review-"));
  readonly workspace = join(this.folder, "workspace");
  readonly #canary = join(this.folder, "canary");

  constructor() {
    mkdirSync(this.workspace);
    this.git("init", "--quiet");
    this.write("kept.txt", "one\ntwo\n");
    this.write("gone.txt", "gone\n");
    this.commit();
  }

  git(...args: string[]): string {
    const isolation = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", GIT_EDITOR: "true" };
    return execFileSync("git", args, {
      cwd: this.workspace,
      encoding: "utf8",
      env: { ...process.env, ...isolation },
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 10_000,
    });
  }

  commit(): void {
    this.git("add", "--all");
    this.git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "--message=One");
  }

  write(path: string, text: string): string {
    const file = join(this.workspace, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** Adds a program that leaves a trace outside the workspace when it runs. */
  addMaliciousProgram(path = "evil.sh"): string {
    const file = this.write(path, `#!/bin/sh\necho ran >> ${this.#canary}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  /** Returns whether one of the programs has run, and resets the trace. */
  consumeCanary(): boolean {
    const hasRun = existsSync(this.#canary);
    rmSync(this.#canary, { force: true });
    return hasRun;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

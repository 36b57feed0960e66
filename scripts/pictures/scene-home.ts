import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { endProcessesOfHome } from "../end-processes-of-home.ts";
import { root } from "../run.ts";

/** An empty home with the CLI on its PATH, and an empty workspace. Disposal ends the processes and deletes both. */
export class SceneHome implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "p-")); // A short path, because the keeper's socket is below it.
  readonly #home = join(this.#folder, "home");
  readonly workspace = createWorkspace();
  /** Where real agents have their homes. */
  readonly agentsFolder = join(this.#home, "s");
  readonly environment: Readonly<Record<string, string>>;

  constructor() {
    const bin = join(this.#folder, "bin");
    mkdirSync(this.#home);
    mkdirSync(bin);
    const program = `#!/bin/sh\nexec node ${join(root, "packages/cli/src/main.ts")} "$@"\n`;
    writeFileSync(join(bin, "fairlead"), program, { mode: 0o755 });
    this.environment = {
      PATH: [bin, dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
      HOME: this.#home,
      XDG_CACHE_HOME: join(root, "node_modules/.cache"),
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      PS1: "$ ",
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endProcessesOfHome(this.#home);
    for (const folder of [this.#folder, this.workspace]) rmSync(folder, { recursive: true, force: true });
  }
}

/** Creates the first folder of hello, hello-2, hello-3… that does not exist. The picture shows its path. */
function createWorkspace(): string {
  for (let number = 1; ; number += 1) {
    const folder = join(tmpdir(), number === 1 ? "hello" : `hello-${number}`);
    try {
      mkdirSync(folder);
      return folder;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

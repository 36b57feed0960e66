import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { endProcessesOfHome } from "../end-processes-of-home.ts";
import { root, runQuietly } from "../run.ts";

/** A folder outside the repository in which packages are installed as in a user's project. */
export class OutsideProject implements AsyncDisposable {
  readonly folder: string;
  readonly #scratch: string;

  constructor() {
    this.#scratch = mkdtempSync(join(tmpdir(), "o-")); // A short path, because the keepers' sockets are below it.
    this.folder = join(this.#scratch, "project");
    for (const path of [this.folder, this.#home]) mkdirSync(path);
    this.write("package.json", JSON.stringify({ name: "outside", private: true, type: "module" }));
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  /** Installs tarballs, and packages of the registry. Throws if npm fails. */
  async install(specifiers: readonly string[]): Promise<void> {
    // The user's own home, because npm's settings and cache are there.
    const env = { ...cleanEnvironment(), HOME: process.env["HOME"] };
    const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", ...specifiers];
    const { code, output } = await runQuietly("npm", args, { cwd: this.folder, env });
    if (code !== 0) throw new Error(`npm install failed:\n${output}`);
  }

  /** Runs a program in the folder, with an empty home and without the repository's programs. */
  async run(program: string, args: readonly string[]): Promise<{ code: number; output: string }> {
    const env = { ...cleanEnvironment(), HOME: this.#home, CI: "true", NO_COLOR: "1" };
    return await runQuietly(program, args, { cwd: this.folder, env });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endProcessesOfHome(this.#home);
    rmSync(this.#scratch, { recursive: true, force: true });
  }

  get #home(): string {
    return join(this.#scratch, "home");
  }
}

/** Returns the environment without what npm, vitest, Node's options and Fairlead add, and with this Node first. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_(?!config_)|npm_config_local_prefix|NODE_(OPTIONS|PATH)|FAIRLEAD_|VITEST|XDG_|INIT_CWD)/.test(name),
  );
  const path = (process.env["PATH"] ?? "").split(":").filter((entry) => !entry.startsWith(root));
  return { ...Object.fromEntries(inherited), PATH: [dirname(process.execPath), ...path].join(":") };
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { TerminalForTest } from "./terminal-for-test.ts";
import { shellWord } from "./shell-word.ts";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));
const cache = fileURLToPath(new URL("../../../node_modules/.cache", import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The CLI as a real process, with a home and a workspace of its own. Disposing ends every session in it, and its daemon. */
export class CliForTest implements AsyncDisposable {
  // Short, because there are unix sockets below it.
  readonly #folder = mkdtempSync(join(tmpdir(), "fl-"));
  readonly workspace = join(this.#folder, "w");
  readonly home = join(this.#folder, "h");
  readonly #environment: NodeJS.ProcessEnv;
  readonly #terminals = new DisposableStack();

  constructor(environment: NodeJS.ProcessEnv = {}) {
    mkdirSync(this.workspace);
    const { PATH, HOME } = process.env;
    const folders = { FAIRLEAD_HOME: this.home, XDG_STATE_HOME: join(this.#folder, "s") };
    this.#environment = { PATH, HOME, TERM: "xterm", XDG_CACHE_HOME: cache, ...folders, ...environment };
  }

  /** Runs a command to its end; its standard input is a pipe that holds `input`. */
  run(words: readonly string[], input = "", environment: NodeJS.ProcessEnv = {}): Promise<Ran> {
    return this.#toItsEnd(process.execPath, [main, ...words], input, environment);
  }

  /** Runs a line of shell in which `fairlead` is the CLI. */
  shell(line: string): Promise<Ran> {
    const fairlead = `fairlead() { ${quoted([process.execPath, main])} "$@"; }`;
    return this.#toItsEnd("bash", ["-c", `${fairlead}\n${line}`], "");
  }

  /** Runs a command that must succeed and gives the values that it prints. */
  async json<Value>(...words: readonly string[]): Promise<Value[]> {
    const { code, out, err } = await this.run([...words, "--json"]);
    if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${err}`);
    return out
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Value);
  }

  /** Runs a command in a terminal. */
  terminal(words: readonly string[]): TerminalForTest {
    // A shell that stayed would get Ctrl-C too, and its exit code would be the one we see.
    const line = `exec ${quoted([process.execPath, main, ...words])}`;
    const child = spawn("script", ["-qec", line, "/dev/null"], { cwd: this.workspace, env: this.#environment });
    return this.#terminals.use(new TerminalForTest(child));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#terminals.dispose();
    await this.run(["down", "--stop-sessions"]);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #toItsEnd(
    program: string,
    words: readonly string[],
    input: string,
    environment: NodeJS.ProcessEnv = {},
  ): Promise<Ran> {
    const child = spawn(program, words, { cwd: this.workspace, env: { ...this.#environment, ...environment } });
    child.stdin.end(input);
    const closed = once(child, "close") as Promise<[number | null]>;
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    return { code, out, err };
  }
}

function quoted(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

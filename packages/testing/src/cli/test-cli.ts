import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { runInProcess, type CliResult } from "./run-in-process.ts";
import { TestTerminal } from "./test-terminal.ts";
import { quoteShellWord } from "../../../cli/src/shell/generate-completion.ts";

const mainFile = fileURLToPath(new URL("../../../cli/src/main.ts", import.meta.url));
const cacheFolder = fileURLToPath(new URL("../../../../node_modules/.cache", import.meta.url));

export type { CliResult } from "./run-in-process.ts";

/** Runs the CLI with its own data directory and workspace. Disposal stops its sessions and its daemon. */
export class TestCli implements AsyncDisposable {
  // A short path, because it contains Unix sockets, whose paths are limited.
  readonly #folder = mkdtempSync(join(tmpdir(), "fl-"));
  readonly workspace = join(this.#folder, "w");
  readonly home = join(this.#folder, "h");
  /** Where agents keep their state. */
  readonly stateFolder = join(this.#folder, "s");
  readonly #environment: NodeJS.ProcessEnv;
  readonly #terminals = new DisposableStack();

  constructor(environment: NodeJS.ProcessEnv = {}) {
    mkdirSync(this.workspace);
    // Without the compile cache, each start of the scripted agent takes twice the time of a processor.
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
    const folders = { FAIRLEAD_HOME: this.home, XDG_STATE_HOME: this.stateFolder, XDG_CACHE_HOME: cacheFolder };
    this.#environment = { PATH, HOME, TERM: "xterm", NODE_COMPILE_CACHE, ...folders, ...environment };
  }

  /**
   * Runs a command to its end, with `input` on its standard input: in the process of the test, because a start of the program
   * costs more than most commands. With `FAIRLEAD_DAEMON=off` the command would own sessions, so it gets a process of its own.
   */
  async run(words: readonly string[], input = "", variables: NodeJS.ProcessEnv = {}): Promise<CliResult> {
    const environment = { ...this.#environment, ...variables };
    if (environment["FAIRLEAD_DAEMON"] === "off") return await this.runProgram(words, input, variables);
    return await runInProcess(words, { input, environment, folder: this.workspace });
  }

  /** Runs a command as a process until it exits. */
  runProgram(words: readonly string[], input = "", variables: NodeJS.ProcessEnv = {}): Promise<CliResult> {
    return this.#runToExit(process.execPath, [mainFile, ...words], input, variables);
  }

  /** Runs a line of shell in which `fairlead` is the CLI. */
  shell(line: string): Promise<CliResult> {
    const fairlead = `fairlead() { ${quoteWords([process.execPath, mainFile])} "$@"; }`;
    return this.#runToExit("bash", ["-c", `${fairlead}\n${line}`], "");
  }

  /** Runs a command with `--json`, which must succeed, and returns the values that it prints. */
  async json<Value>(...words: readonly string[]): Promise<Value[]> {
    const { code, out, err } = await this.run([...words, "--json"]);
    if (code !== 0) throw new Error(`${words.join(" ")} exited with ${code}: ${err}`);
    return out
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Value);
  }

  /** Runs a command in a terminal. */
  terminal(words: readonly string[]): TestTerminal {
    // `exec` replaces the shell: a shell would also receive Ctrl-C, and the test would see its exit code.
    const line = `exec ${quoteWords([process.execPath, mainFile, ...words])}`;
    const child = spawn("script", ["-qec", line, "/dev/null"], { cwd: this.workspace, env: this.#environment });
    return this.#terminals.use(new TestTerminal(child));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#terminals.dispose();
    await this.run(["down", "--stop-sessions"]);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #runToExit(
    program: string,
    words: readonly string[],
    input: string,
    variables: NodeJS.ProcessEnv = {},
  ): Promise<CliResult> {
    const child = spawn(program, words, { cwd: this.workspace, env: { ...this.#environment, ...variables } });
    child.stdin.end(input);
    const closeEvent = once(child, "close") as Promise<[number | null]>;
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closeEvent]);
    return { code, out, err };
  }
}

function quoteWords(words: readonly string[]): string {
  return words.map(quoteShellWord).join(" ");
}

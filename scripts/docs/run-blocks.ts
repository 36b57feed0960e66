import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { endProcessesOfHome } from "../end-processes-of-home.ts";
import type { CodeBlock, MarkdownPage, PageProblem } from "./markdown-page.ts";
import type { BlockFolder } from "./type-check-blocks.ts";

/** The number of blocks that were run, and the faults. */
export interface RunReport {
  readonly shellBlocks: number;
  readonly programs: number;
  readonly problems: readonly PageProblem[];
}

/** A script or a program of a page. */
interface RunnableBlocks {
  readonly file: string;
  readonly line: number;
  readonly command: readonly [program: string, ...args: string[]];
}

/** How many pages run at the same time. They mostly wait for processes. */
const concurrency = 4;

/** Runs the shell blocks of each page as one script, and each program, in an empty folder with its own daemon. */
export async function runBlocks(root: string, pages: readonly MarkdownPage[], blocks: BlockFolder): Promise<RunReport> {
  const shellBlocks = pages.map(({ file, codeBlocks }) => ({ file, blocks: codeBlocks.filter(isRunnable) }));
  const queue: RunnableBlocks[] = [
    ...shellBlocks.filter((page) => page.blocks.length > 0).map(toScript),
    ...blocks.programs.map(({ path, page, line }): RunnableBlocks => {
      return { file: page, line, command: [process.execPath, path] };
    }),
  ];
  const problems: PageProblem[] = [];
  const work = queue.values();
  const runQueue = async (): Promise<void> => {
    for (const runnable of work) problems.push(...(await runInEmptyPlace(root, runnable)));
  };
  await Promise.all(Array.from({ length: concurrency }, runQueue));
  return {
    shellBlocks: shellBlocks.reduce((sum, page) => sum + page.blocks.length, 0),
    programs: blocks.programs.length,
    problems,
  };
}

function isRunnable({ language, flags }: CodeBlock): boolean {
  return language === "sh" && !flags.includes("no-run");
}

/** Joins the blocks of a page. Before each block it prints the line, so that the last one is where the script stopped. */
function toScript({ file, blocks }: { readonly file: string; readonly blocks: readonly CodeBlock[] }): RunnableBlocks {
  const script = blocks.map(({ line, code }) => `echo "== line ${line}" >&2\n${code}`).join("\n");
  return { file, line: blocks[0]?.line ?? 1, command: ["bash", "-c", `set -euo pipefail\n${script}`] };
}

async function runInEmptyPlace(root: string, { file, line, command }: RunnableBlocks): Promise<PageProblem[]> {
  await using place = new EmptyPlace(root);
  const { code, output } = await place.run(...command);
  if (code === 0) return [];
  const lastLine = [...output.matchAll(/^== line (\d+)$/gm)].at(-1)?.[1] ?? line;
  const end = output.trimEnd().split("\n").slice(-30).join("\n");
  return [{ file, line: Number(lastLine), problem: `The block exited with ${code}:\n${end}` }];
}

/** How long the blocks of one page may take. */
const timeLimit = 300_000;

/** An empty folder and home directory with `fairlead` on the PATH. Disposal stops the daemon and its sessions. */
class EmptyPlace implements AsyncDisposable {
  // A short path, because it contains Unix sockets, whose paths are limited.
  readonly #folder = mkdtempSync(join(tmpdir(), "fl-"));
  readonly #workspace = join(this.#folder, "work");
  readonly #home = join(this.#folder, "home");
  readonly #environment: NodeJS.ProcessEnv;

  constructor(root: string) {
    const programs = join(this.#folder, "bin");
    const home = this.#home;
    for (const folder of [programs, home, this.#workspace]) mkdirSync(folder);
    const command = join(programs, "fairlead");
    writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${join(root, "packages/cli/src/main.ts")}" "$@"\n`);
    chmodSync(command, 0o755);
    writeFileSync(
      join(home, ".gitconfig"),
      "[user]\n\tname = Reader\n\temail = reader@example.com\n[init]\n\tdefaultBranch = main\n",
    );
    this.#environment = {
      PATH: [programs, dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
      HOME: home,
      FAIRLEAD_HOME: join(home, ".fairlead"),
      XDG_CACHE_HOME: join(root, "node_modules/.cache"),
      // Most of the time of a block is the start of programs.
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      LANG: "C.UTF-8",
      TERM: "dumb",
    };
  }

  /** Runs a command to its end. A command that takes too long is killed. */
  async run(program: string, ...args: readonly string[]): Promise<{ code: number | string; output: string }> {
    const child = spawn(program, args, {
      cwd: this.#workspace,
      env: this.#environment,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeLimit,
      killSignal: "SIGKILL",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    // Not `close`: a process that the block left running may hold the output open.
    const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
    return { code: code ?? signal ?? "no code", output };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run("fairlead", "down", "--stop-sessions");
    // A program without the daemon has sessions of its own, and a failed script may leave processes.
    await endProcessesOfHome(this.#home);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { runQuietly } from "../run.ts";
import type { CodeBlock, MarkdownPage, PageProblem } from "./markdown-page.ts";

/** The blocks of the documents as files, in a folder from which the packages of this repository can be imported. */
export class BlockFolder implements Disposable {
  readonly folder: string;
  readonly #root: string;
  readonly #blocks = new Map<string, { readonly page: string; readonly block: CodeBlock }>();

  constructor(root: string, pages: readonly MarkdownPage[]) {
    this.#root = root;
    mkdirSync(join(root, ".tmp"), { recursive: true });
    this.folder = mkdtempSync(join(root, ".tmp/docs-"));
    for (const { file, codeBlocks } of pages) {
      for (const block of codeBlocks) {
        if (block.language !== "ts" || block.flags.includes("no-check")) continue;
        const path = join(this.folder, file, fileNameOf(block));
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, block.code);
        this.#blocks.set(path, { page: file, block });
      }
    }
  }

  /** The number of blocks. */
  get size(): number {
    return this.#blocks.size;
  }

  /** The blocks with the flag `run`, as files. */
  get programs(): { readonly path: string; readonly page: string; readonly line: number }[] {
    return [...this.#blocks]
      .filter(([, { block }]) => block.flags.includes("run"))
      .map(([path, { page, block }]) => ({ path, page, line: block.line }));
  }

  /** Checks the types of all blocks with the compiler options of this repository. */
  async checkTypes(): Promise<PageProblem[]> {
    const config = {
      extends: join(this.#root, "tsconfig.json"),
      // A block shows a part of a program, so it may declare what only the rest of the program uses.
      compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
      include: ["**/*.ts"],
    };
    const configFile = join(this.folder, "tsconfig.json");
    writeFileSync(configFile, JSON.stringify(config));
    const compiler = join(this.#root, "node_modules/typescript/bin/tsc");
    const { code, output } = await runQuietly(process.execPath, [compiler, "--pretty", "false", "-p", configFile], {
      cwd: this.folder,
    });
    if (code === 0) return [];
    const problems = output.split("\n").flatMap((line) => this.#toProblem(line));
    if (problems.length === 0) throw new Error(`The blocks cannot be type-checked:\n${output}`);
    return problems;
  }

  /** Converts a line of the compiler's output to a place in a page. */
  #toProblem(text: string): PageProblem[] {
    const [, path = "", line = "", problem = ""] = /^(.+?)\((\d+),\d+\): (error .*)$/.exec(text) ?? [];
    if (path === "") return [];
    const found = this.#blocks.get(join(this.folder, path));
    if (found === undefined)
      return [{ file: relative(this.#root, join(this.folder, path)), line: Number(line), problem }];
    return [{ file: found.page, line: found.block.line + Number(line), problem }];
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function fileNameOf({ flags, line }: CodeBlock): string {
  const named = flags.find((flag) => flag.startsWith("file="));
  return named === undefined ? `line-${line}.ts` : named.slice("file=".length);
}

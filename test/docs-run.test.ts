import { describe, expect, test } from "vitest";
import { parseMarkdownPage, readMarkdownPages } from "../scripts/docs/markdown-page.ts";
import { runBlocks, type RunReport } from "../scripts/docs/run-blocks.ts";
import { BlockFolder } from "../scripts/docs/type-check-blocks.ts";
import { root } from "../scripts/run.ts";

const fence = "```";

async function run(pages: ReturnType<typeof readMarkdownPages>): Promise<RunReport> {
  using folder = new BlockFolder(root, pages);
  return await runBlocks(root, pages, folder);
}

describe("blocks of the documents that can run", { timeout: 600_000 }, () => {
  test("exit with 0, in an empty folder with a daemon of their own", async () => {
    const { shellBlocks, programs, problems } = await run(readMarkdownPages(root));
    expect(problems.map(({ file, line, problem }) => `${file}:${line}: ${problem}`)).toEqual([]);
    expect(shellBlocks).toBeGreaterThan(10);
    expect(programs).toBeGreaterThan(3);
  });

  test("a block and a program that fail are reported with their lines", async () => {
    const text = [
      `${fence}sh\nfairlead --version\n${fence}`,
      `${fence}sh\ntrue\nfairlead logs none\n${fence}`,
      `${fence}sh no-run\nfalse\n${fence}`,
      `${fence}ts run\nprocess.exit(3);\n${fence}`,
    ].join("\n\n");
    const { problems } = await run([parseMarkdownPage("docs/planted.md", text)]);
    expect(problems.toSorted((one, other) => one.line - other.line)).toEqual([
      { file: "docs/planted.md", line: 5, problem: expect.stringMatching(/exited with 5:[^]*none/) as string },
      { file: "docs/planted.md", line: 14, problem: expect.stringContaining("exited with 3") as string },
    ]);
  });
});

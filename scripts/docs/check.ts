/**
 * Checks that the documents are true: `node scripts/docs/check.ts [--no-run]`. It checks links, paths, commands, code
 * blocks and generated tables, and runs the blocks that can run. It prints what it checked, and exits with 1 if a check
 * fails.
 */
import { root } from "../run.ts";
import { checkBlocks } from "./check-blocks.ts";
import { checkCommands } from "./check-commands.ts";
import { checkLinks } from "./check-links.ts";
import { countGenerated, findStalePages } from "./generated-pages.ts";
import { readMarkdownPages, type PageProblem } from "./markdown-page.ts";
import { runBlocks } from "./run-blocks.ts";
import { BlockFolder } from "./type-check-blocks.ts";

const problems: PageProblem[] = [];
const counts: string[] = [];
const pages = readMarkdownPages(root);

const links = checkLinks(root, pages);
problems.push(...links.problems);
counts.push(`${links.links} internal links`, `${links.paths} paths`);

const commands = await checkCommands(root, pages);
problems.push(...commands.problems);
counts.push(`${commands.commands} commands parsed`);

const { blocks, problems: blockProblems } = checkBlocks(pages);
problems.push(...blockProblems);
counts.push(
  `code blocks: ${Object.entries(blocks)
    .map(([language, count]) => `${count} ${language || "without a language"}`)
    .join(", ")}`,
);

problems.push(...findStalePages().map(({ page, problem }) => ({ file: page, line: 1, problem })));
const generated = countGenerated();
counts.push(`${generated.pages} generated pages`, `${generated.tables} generated tables`);

using folder = new BlockFolder(root, pages);
problems.push(...(await folder.checkTypes()));
counts.push(`${folder.size} ts blocks type-checked`);

if (!process.argv.includes("--no-run")) {
  const run = await runBlocks(root, pages, folder);
  problems.push(...run.problems);
  counts.push(`${run.shellBlocks} sh blocks run`, `${run.programs} programs run`);
}

for (const { file, line, problem } of problems) console.error(`${file}:${line}: ${problem}`);
console.log(`${pages.length} pages; ${counts.join("; ")}; problems: ${problems.length}`);
process.exitCode = problems.length === 0 ? 0 : 1;

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkBlocks } from "../scripts/docs/check-blocks.ts";
import { checkCommands } from "../scripts/docs/check-commands.ts";
import { checkLinks } from "../scripts/docs/check-links.ts";
import { parseMarkdownPage, readMarkdownPages, type PageProblem } from "../scripts/docs/markdown-page.ts";
import { BlockFolder } from "../scripts/docs/type-check-blocks.ts";
import { root } from "../scripts/run.ts";

const pages = readMarkdownPages(root);
const fence = "```";
const parse = (text: string): ReturnType<typeof parseMarkdownPage> => parseMarkdownPage("docs/planted.md", text);
const block = (info: string, code: string): string => `${fence}${info}\n${code}\n${fence}\n`;
const textsOf = (problems: readonly PageProblem[]): string[] =>
  problems.map(({ file, line, problem }) => `${file}:${line}: ${problem}`);

describe("links of the documents", () => {
  test("lead to files and headings, and paths in code exist", () => {
    const { links, paths, problems } = checkLinks(root, pages);
    expect(textsOf(problems)).toEqual([]);
    expect(links).toBeGreaterThan(100);
    expect(paths).toBeGreaterThan(100);
  });

  test.each([
    ["a link to no file", "[text](no-such-page.md)", "leads to no file"],
    ["a link to no heading", "[text](style.md#no-such-heading)", "leads to no heading of docs/style.md"],
    ["a link to no heading of the same page", "# Title\n\n[text](#titles)", "leads to no heading of docs/planted.md"],
    ["a picture that does not exist", "![text](pictures/none.svg)", "leads to no file"],
    ["a picture in HTML that does not exist", '<picture><source srcset="none.svg"></picture>', "leads to no file"],
    ["a link out of the repository", "[text](../../elsewhere.md)", "leaves the repository"],
    ["a link to a line that does not exist", "[text](../scripts/run.ts#L9999)", "behind the end"],
    ["a link in a table", "| a |\n| --- |\n| [b](none.md) |", "docs/planted.md:3: The link none.md"],
    ["a path that does not exist", "See `packages/runtime/src/no-such-file.ts`.", "does not exist"],
    ["a pattern that matches nothing", "See `packages/*/no-such-file.ts`.", "does not exist"],
  ])("%s is found", (_, text, problem) => {
    expect(textsOf(checkLinks(root, [parse(text)]).problems)).toEqual([expect.stringContaining(problem)]);
  });

  test.each([
    "# A *title* with `code`, twice\n\n# A title with code, twice\n\n[one](#a-title-with-code-twice) [two](#a-title-with-code-twice-1)",
    "[page](style.md#marker-words) [file](../scripts/run.ts) [line](../scripts/run.ts#L1-L3) [folder](status)",
    "[elsewhere](https://example.com/none) `packages/*/src/index.ts` `packages/cli/dist/src/main.js` `scripts/<name>.ts`",
    '<a id="here"></a>\n\n[there](#here)',
  ])("no fault is found in %j", (text) => {
    expect(textsOf(checkLinks(root, [parse(text)]).problems)).toEqual([]);
  });
});

describe("commands in the documents", () => {
  test("are commands of the program, with options that exist", async () => {
    const { commands, problems } = await checkCommands(root, pages);
    expect(textsOf(problems)).toEqual([]);
    expect(commands).toBeGreaterThan(200);
  });

  test.each([
    ["an unknown option", block("sh no-run", "fairlead ls --everything"), "unknown option '--everything'"],
    ["an unknown command", block("sh", "fairlead list"), "unknown command 'list'"],
    ["a missing argument", block("sh", "fairlead resume"), "missing required argument 'session'"],
    ["an unknown value", block("sh", "fairlead run scripted --mode yolo hello"), "Allowed choices are default"],
    ["a command in a substitution", block("sh", 'id="$(fairlead ps --idle)"'), "unknown option '--idle'"],
    ["a command after npx", block("sh no-run", "npx fairlead ls --none"), "unknown option '--none'"],
    ["a command after a prompt", block("console", "$ fairlead ls --none\nID  AGENT"), "unknown option '--none'"],
    ["a command in a sentence", "Type `fairlead stop ID --now`.", "unknown option '--now'"],
    ["a command after an assignment", "Type `FAIRLEAD_LOG=debug fairlead up --no-such-flag`.", "'--no-such-flag'"],
    ["a command without fairlead", "Use `doctor --everything`.", "unknown option '--everything'"],
    ["a command after npx in a sentence", "Type `npx fairlead ls --none`.", "unknown option '--none'"],
    ["a missing script", "Run `node scripts/packit.ts`.", "The file scripts/packit.ts does not exist"],
    ["a missing script in a block", block("sh no-run", "node --test scripts/packit.ts"), "scripts/packit.ts does not"],
    ["a missing wrapper", "Run `scripts/onfline node scripts/pack.ts`.", "The file scripts/onfline does not exist"],
    ["a missing program", block("sh no-run", "node agent.ts"), "The file agent.ts does not exist"],
    ["an unknown script after an assignment", "Run `A=1 npm run everything`.", "package.json has no script everything"],
    ["an unknown script", "Run `npm run everything`.", "package.json has no script everything"],
    ["a placeholder in angle brackets", block("sh", 'fairlead resume <id> "…"'), "<id> is a redirection"],
  ])("%s is found", async (_, text, problem) => {
    expect(textsOf((await checkCommands(root, [parse(text)])).problems)).toEqual([expect.stringContaining(problem)]);
  });

  test("a mention in a sentence may be incomplete, and output is no command", async () => {
    const text =
      "`fairlead resume`, `fairlead resume <id>`, `fairlead up --listen`, `fairlead COMMAND --help`, `npm run claims -- ID`.";
    const bare =
      "`doctor --json`, `FAIRLEAD_LOG=debug fairlead up`, `scripts/offline node scripts/NAME.ts`, `fairlead`.";
    const output = block("console", "$ fairlead ls\nfairlead none --none");
    const named = `${block("ts file=own.ts", "export {};")}\n${block("sh", "echo > new.mjs\nnode own.ts\nnode new.mjs")}`;
    const { commands, problems } = await checkCommands(root, [parse([text, bare, output, named].join("\n\n"))]);
    expect({ commands, problems }).toEqual({ commands: 11, problems: [] });
  });
});

describe("code blocks of the documents", () => {
  test("have a known language and valid syntax", () => {
    expect(textsOf(checkBlocks(pages).problems)).toEqual([]);
  });

  test.each([
    ["a language without a check", block("python", "print()"), 'language of the block is "python"'],
    ["no language", block("", "text"), 'language of the block is ""'],
    ["an unknown flag", block("sh norun", "ls"), "unknown flag norun"],
    ["a shell block that bash cannot parse", block("sh no-run", "if true; then"), "bash cannot parse"],
    ["a program that cannot be parsed", block("ts no-check", "const = 1;"), "Unexpected"],
    ["an unknown key of fairlead.yaml", block("yaml", "agents: codex"), 'There is no key "agents"'],
    ["an unknown setting of an agent", block("yaml", "settings: { shell: { time: 1 } }"), 'Unrecognized key: "time"'],
    ["a mode that a file cannot set", block("yaml", "mode: full-auto"), "may not select the mode full-auto"],
    ["JSON that cannot be parsed", block("json", "{ a: 1 }"), "JSON"],
  ])("%s is found", (_, text, problem) => {
    expect(textsOf(checkBlocks([parse(text)]).problems)).toEqual([expect.stringContaining(problem)]);
  });
});

describe("programs in the documents", { timeout: 120_000 }, () => {
  let folder: BlockFolder;
  const planted = [
    block("ts file=answer.ts", "export const answer: number = 42;"),
    block("ts", 'import { answer } from "./answer.ts";\nconst text: string = answer;'),
  ].join("\n");
  beforeAll(() => void (folder = new BlockFolder(root, [...pages, parse(planted)])));
  afterAll(() => folder[Symbol.dispose]());

  test("type-check, and a wrong type is found in its line", async () => {
    expect(textsOf(await folder.checkTypes())).toEqual([
      expect.stringContaining("docs/planted.md:7: error TS2322: Type 'number' is not assignable to type 'string'."),
    ]);
    expect(folder.size).toBeGreaterThan(10);
  });
});

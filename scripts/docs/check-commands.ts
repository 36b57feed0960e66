import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { forEachChild, parse, type SyntaxNode } from "unbash";
import { createSilentProgram } from "./cli-page.ts";
import type { CodeBlock, MarkdownPage, PageProblem } from "./markdown-page.ts";

/** The number of checked command lines, and the faults. */
export interface CommandReport {
  readonly commands: number;
  readonly problems: readonly PageProblem[];
}

interface CommandLine {
  readonly file: string;
  readonly line: number;
  readonly words: readonly string[];
  /** Whether the text is complete: a block, and not a mention in a sentence. */
  readonly isComplete: boolean;
}

/**
 * Parses every `fairlead` command of the documents with the program's own parser, and checks the names after `npm run` and
 * the paths of programs. A command in a sentence may be incomplete, so it may lack arguments, and `fairlead` itself if an
 * option follows.
 */
export async function checkCommands(root: string, pages: readonly MarkdownPage[]): Promise<CommandReport> {
  const scripts = readScriptNames(root);
  const problems: PageProblem[] = pages.flatMap(findAnglePlaceholders);
  let commands = 0;
  for (const page of pages) {
    const files = new Set(page.codeBlocks.flatMap(findFileNames));
    const isKnownFile = (path: string): boolean =>
      existsSync(join(root, path)) || existsSync(join(root, dirname(page.file), path)) || files.has(path);
    for (const { file, line, words, isComplete } of listCommandLines(page)) {
      commands += 1;
      const problem =
        words[0] === "fairlead"
          ? await explainWrongCommand(words.slice(1), isComplete)
          : (explainUnknownScript(words, scripts) ?? explainMissingProgram(words, isKnownFile));
      if (problem !== null) problems.push({ file, line, problem: `${words.join(" ")}: ${problem}` });
    }
  }
  return { commands, problems };
}

/** A placeholder such as `<id>`. A shell reads it as redirections. */
const anglePlaceholder = /<([a-z][\w-]*)>/gi;

function findAnglePlaceholders({ file, codeBlocks }: MarkdownPage): PageProblem[] {
  return codeBlocks.flatMap((block) =>
    [...readShellText(block).matchAll(anglePlaceholder)].map(([placeholder, name = ""]) => ({
      file,
      line: block.line,
      problem: `${placeholder} is a redirection in a shell. Write ${name.toUpperCase()}.`,
    })),
  );
}

function listCommandLines({ file, codeBlocks, codeSpans }: MarkdownPage): CommandLine[] {
  const fromBlocks = codeBlocks.flatMap((block) =>
    findCommands(readShellText(block)).map(({ words, line }) => {
      return { file, line: block.line + line, words, isComplete: true };
    }),
  );
  const fromSpans = codeSpans.flatMap(({ text, line }) =>
    findCommands(text, commandNames).map(({ words }) => ({ file, line, words, isComplete: false })),
  );
  return [...fromBlocks, ...fromSpans];
}

/** Returns what a person types: the whole block, or the lines after a prompt. */
function readShellText({ language, code }: CodeBlock): string {
  return language === "sh" ? code : language === "console" ? keepTypedLines(code) : "";
}

/** Keeps the lines after a prompt, in their places. A line that ends with a backslash continues in the next one. */
function keepTypedLines(code: string): string {
  let continues = false;
  const lines = code.split("\n").map((line) => {
    const typed = continues ? line.replace(/^> /, "") : /^\$ (.*)$/.exec(line)?.[1];
    continues = typed?.endsWith("\\") ?? false;
    return typed ?? "";
  });
  return lines.join("\n");
}

/** The names of the program's own commands. A sentence may write one of them without `fairlead`: `doctor --json`. */
const commandNames: ReadonlySet<string> = new Set(
  createSilentProgram().commands.flatMap((command) => [command.name(), ...command.aliases()]),
);

/**
 * Finds the commands that can be checked in a shell text, also inside substitutions: `fairlead …`, `npm run …`, `node …`
 * and the programs in scripts/. A command with an option whose name is in `bareNames` gets `fairlead` before it.
 */
function findCommands(
  text: string,
  bareNames: ReadonlySet<string> = new Set(),
): { readonly words: readonly string[]; readonly line: number }[] {
  const commands: { words: string[]; line: number }[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command" && node.name !== undefined) {
      const words = [node.name, ...node.suffix].flatMap((word) => (word.type === "Word" ? [word.value] : []));
      const ownWords = words[0] === "npx" ? words.slice(1) : words;
      const [name = "", ...args] = ownWords;
      const line = text.slice(0, node.pos).split("\n").length;
      if (bareNames.has(name) && args.some((arg) => /^--[a-z]/.test(arg)))
        commands.push({ words: ["fairlead", ...ownWords], line });
      else if (isCheckable(name, args)) commands.push({ words: ownWords, line });
    }
    forEachChild(node, visit);
  };
  visit(parse(text.replaceAll(anglePlaceholder, (match) => "P".repeat(match.length))));
  return commands;
}

function isCheckable(name: string, args: readonly string[]): boolean {
  if (name === "fairlead" || name === "npm") return args.length > 0 && (name === "fairlead" || args[0] === "run");
  return findProgramPaths([name, ...args]).length > 0;
}

/** Finds the paths of the programs that a command runs: all in scripts/, and the file that `node` gets. */
function findProgramPaths(words: readonly string[]): string[] {
  const nodeAt = words.indexOf("node");
  const operand = nodeAt < 0 ? undefined : words.slice(nodeAt + 1).find((word) => !word.startsWith("-"));
  const paths = words.map((word) => word.replace(/^\.\//, "")).filter((word) => word.startsWith("scripts/"));
  return [...new Set([...paths, ...(operand !== undefined && /\.[cm]?[jt]s$/.test(operand) ? [operand] : [])])];
}

/** The faults that a mention of a command may have. */
const incompleteCodes = new Set(["missingArgument", "optionMissingArgument", "missingMandatoryOptionValue"]);
/** Values that are computed by the shell, or that the reader replaces. */
const placeholder = /^(?:[A-Z][A-Z_-]*|.*[$…].*)$/;

async function explainWrongCommand(words: readonly string[], isComplete: boolean): Promise<string | null> {
  try {
    await createSilentProgram().parseAsync([...words], { from: "user" });
    return null;
  } catch (error) {
    const { code, message, exitCode } = error as { code?: string; message: string; exitCode?: number };
    const kind = code?.replace(/^commander\./, "") ?? "";
    // Help and version end the parser too. `fairlead` alone prints the help, and its exit code is 1.
    if (exitCode === 0 || kind === "help" || (words.length === 0 && !isComplete)) return null;
    if (kind === "invalidArgument" && words.some((word) => placeholder.test(word))) return null;
    // In a sentence, COMMAND or … stands for any command.
    if (!isComplete && (incompleteCodes.has(kind) || placeholder.test(words[0] ?? ""))) return null;
    return message.replace(/^error: /, "");
  }
}

function explainUnknownScript([name, , script = ""]: readonly string[], scripts: ReadonlySet<string>): string | null {
  if (name !== "npm") return null;
  return scripts.has(script) || placeholder.test(script) ? null : `package.json has no script ${script}`;
}

/** A path that the reader replaces, or that the shell computes: `scripts/NAME.ts`, `$file`. */
const pathPlaceholder = /(?:^|\/)[A-Z][A-Z_-]*(?:\.\w+)?$|[$…*{]/;

function explainMissingProgram(words: readonly string[], isKnownFile: (path: string) => boolean): string | null {
  const missing = findProgramPaths(words).find((path) => !pathPlaceholder.test(path) && !isKnownFile(path));
  return missing === undefined ? null : `The file ${missing} does not exist`;
}

/** Finds the files that a block is or writes, so that a command of the same page can run them. */
function findFileNames({ flags, code }: CodeBlock): string[] {
  const ownNames = flags.filter((flag) => flag.startsWith("file=")).map((flag) => flag.slice("file=".length));
  return [...ownNames, ...[...code.matchAll(/> ?([\w.-]+\.[cm]?[jt]s)\b/g)].map(([, name = ""]) => name)];
}

function readScriptNames(root: string): ReadonlySet<string> {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  return new Set(Object.keys(scripts));
}

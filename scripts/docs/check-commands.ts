import { readFileSync } from "node:fs";
import { join } from "node:path";
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
 * Parses every `fairlead` command of the documents with the program's own parser, and checks the names after `npm run`.
 * A command in a sentence may be incomplete, so it may lack arguments.
 */
export async function checkCommands(root: string, pages: readonly MarkdownPage[]): Promise<CommandReport> {
  const scripts = readScriptNames(root);
  const commandLines = pages.flatMap(listCommandLines);
  const problems: PageProblem[] = pages.flatMap(findAnglePlaceholders);
  for (const { file, line, words, isComplete } of commandLines) {
    const problem =
      words[0] === "npm" ? explainUnknownScript(words, scripts) : await explainWrongCommand(words.slice(1), isComplete);
    if (problem !== null) problems.push({ file, line, problem: `${words.join(" ")}: ${problem}` });
  }
  return { commands: commandLines.length, problems };
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
  const fromSpans = codeSpans
    .filter(({ text }) => /^(?:npx )?fairlead |^npm run /.test(text))
    .flatMap(({ text, line }) => findCommands(text).map(({ words }) => ({ file, line, words, isComplete: false })));
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

/** Finds the commands `fairlead …` and `npm run …` in a shell text, also inside substitutions. */
function findCommands(text: string): { readonly words: readonly string[]; readonly line: number }[] {
  const commands: { words: string[]; line: number }[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command" && node.name !== undefined) {
      const words = [node.name, ...node.suffix].flatMap((word) => (word.type === "Word" ? [word.value] : []));
      const ownWords = words[0] === "npx" ? words.slice(1) : words;
      const line = text.slice(0, node.pos).split("\n").length;
      if (ownWords[0] === "fairlead" || (ownWords[0] === "npm" && ownWords[1] === "run"))
        commands.push({ words: ownWords, line });
    }
    forEachChild(node, visit);
  };
  visit(parse(text.replaceAll(anglePlaceholder, (match) => "P".repeat(match.length))));
  return commands;
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

function explainUnknownScript([, , script = ""]: readonly string[], scripts: ReadonlySet<string>): string | null {
  return scripts.has(script) || placeholder.test(script) ? null : `package.json has no script ${script}`;
}

function readScriptNames(root: string): ReadonlySet<string> {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  return new Set(Object.keys(scripts));
}

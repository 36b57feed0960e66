import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters, unverifiedAdapters } from "@fairlead/adapters";
import { FleetFile } from "@fairlead/nats";
import { AdapterRegistry, selectAgent, validateSettings, workspaceFileName } from "@fairlead/runtime";
import { parseSync } from "oxc-parser";
import { parseConfig } from "../../packages/runtime/src/config/parse-workspace-config.ts";
import { UserConfig } from "../../packages/runtime/src/config/user-config.ts";
import type { CodeBlock, MarkdownPage, PageProblem } from "./markdown-page.ts";

/** The languages of code blocks, with the flags that each may have after its name. */
const knownFlags: Readonly<Record<string, RegExp>> = {
  /** Run, all blocks of a page in one script, unless `no-run`. */
  sh: /^no-run$/,
  /** Commands after `$ `, with their output. The commands are parsed. */
  console: /^$/,
  /** Type-checked, unless `no-check`. With `run` also run. With `file=NAME`, other blocks of the page can import it. */
  ts: /^(?:run|no-check|file=[\w.-]+)$/,
  js: /^$/,
  /** A `fairlead.yaml`, unless `no-check`, or the `config.yaml` of a user, or the file of a fleet. */
  yaml: /^(?:no-check|user|fleet)$/,
  json: /^$/,
  /** One JSON value per line. */
  jsonl: /^$/,
  text: /^$/,
  diff: /^$/,
  mermaid: /^$/,
};

/** The number of blocks by language, and the faults. */
export interface BlockReport {
  readonly blocks: Readonly<Record<string, number>>;
  readonly problems: readonly PageProblem[];
}

/** Checks the syntax of every code block, and every `fairlead.yaml` against the program. */
export function checkBlocks(pages: readonly MarkdownPage[]): BlockReport {
  const blocks: Record<string, number> = {};
  const problems: PageProblem[] = [];
  for (const { file, codeBlocks } of pages) {
    for (const block of codeBlocks) {
      blocks[block.language] = (blocks[block.language] ?? 0) + 1;
      const problem = explainWrongBlock(block);
      if (problem !== null) problems.push({ file, line: block.line, problem });
    }
  }
  return { blocks, problems };
}

function explainWrongBlock({ language, flags, code }: CodeBlock): string | null {
  const knownFlag = knownFlags[language];
  const languages = Object.keys(knownFlags).join(", ");
  if (knownFlag === undefined) return `The language of the block is "${language}". Known: ${languages}.`;
  const unknownFlag = flags.find((flag) => !knownFlag.test(flag));
  if (unknownFlag !== undefined) return `The block has the unknown flag ${unknownFlag}.`;
  try {
    syntaxChecks[language]?.(code, flags);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const syntaxChecks: Readonly<Record<string, (code: string, flags: readonly string[]) => void>> = {
  sh: checkShell,
  ts: (code) => checkProgram("block.ts", code),
  js: (code) => checkProgram("block.js", code),
  yaml: (code, flags) => {
    if (flags.includes("user")) parseConfig(code, UserConfig);
    else if (flags.includes("fleet")) parseConfig(code, FleetFile);
    else if (!flags.includes("no-check")) checkWorkspaceFile(code);
  },
  json: (code) => void JSON.parse(code),
  jsonl: (code) =>
    code
      .split("\n")
      .filter(Boolean)
      .forEach((line) => void JSON.parse(line)),
};

function checkShell(code: string): void {
  const { status, stderr } = spawnSync("bash", ["-n"], { input: code, encoding: "utf8" });
  if (status !== 0) throw new Error(`bash cannot parse the block: ${stderr.trim()}`);
}

function checkProgram(name: string, code: string): void {
  const [error] = parseSync(name, code).errors;
  if (error !== undefined) throw new Error(error.message);
}

/** Reads the text as the program reads a trusted `fairlead.yaml`, and validates the settings of every agent in it. */
function checkWorkspaceFile(text: string): void {
  const registry = new AdapterRegistry([...adapters, ...unverifiedAdapters]);
  const workspace = mkdtempSync(join(tmpdir(), "fairlead-docs-"));
  try {
    writeFileSync(join(workspace, workspaceFileName), text);
    const options = { workspace, environment: {}, fallback: "scripted", trusts: () => true };
    selectAgent(registry, options);
    for (const adapter of registry.all)
      validateSettings(adapter, selectAgent(registry, { ...options, agent: adapter.manifest.id }).settings);
  } finally {
    rmSync(workspace, { recursive: true });
  }
}

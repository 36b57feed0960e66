import { statSync } from "node:fs";
import { resolve } from "node:path";
import { defaultAgent } from "@fairlead/adapters";
import { PermissionMode, permissionModes } from "@fairlead/contract";
import { choose, type Runtime } from "@fairlead/runtime";
import { InvalidArgumentError, Option, type Command } from "commander";
import { Interrupts } from "../conversation/interrupts.ts";
import { leave } from "../conversation/leave.ts";
import { promptOf } from "../conversation/prompt-of.ts";
import { talk } from "../conversation/talk.ts";
import { knownAgents } from "../known-agents.ts";
import { settingsOf, type SettingsOptions } from "../settings-of.ts";
import { openRuntime, type Surroundings } from "../surroundings.ts";
import { WrongUse } from "../wrong-use.ts";
import type { Run } from "./run-command.ts";

export interface RunOptions extends SettingsOptions {
  readonly workspace?: string;
  readonly mode?: PermissionMode;
  readonly detach?: boolean;
  readonly json?: boolean;
}

export function addRun(program: Command, run: Run): void {
  program
    .command("run")
    .summary("start a session with an agent")
    .description(
      "Starts a session and shows it as it goes. Without a prompt it reads one from a pipe, or talks with you.",
    )
    .argument(
      "[agent]",
      "which agent; `fairlead doctor` lists them (default: what fairlead.yaml or FAIRLEAD_AGENT says)",
    )
    .argument("[prompt...]", "what to say to it")
    .option("-w, --workspace <folder>", "where it works (default: this folder)")
    .addOption(new Option("-m, --mode <mode>", "how much it may do without asking").choices(PermissionMode.options))
    .option("--model <name>", "the model, in the agent's words")
    .option("--system-prompt <text>", "the system prompt")
    .option("--max-turns <number>", "how many steps a turn may take", positive)
    .option("--set <key=value>", "any other setting; JSON or text, dots go deeper", collect)
    .option("--settings <file>", "settings from a JSON file")
    .option("-d, --detach", "print the session's id and leave it running")
    .option("--json", "events and deltas, one JSON value a line")
    .addHelpText("after", help)
    .action((agent: string | undefined, words: string[], options: RunOptions) =>
      run((surroundings) => runAgent(surroundings, agent, words, options)),
    );
}

async function runAgent(
  surroundings: Surroundings,
  typed: string | undefined,
  words: readonly string[],
  options: RunOptions,
): Promise<number> {
  using interrupts = new Interrupts();
  await using runtime = await openRuntime(surroundings);
  const workspace = workspaceOf(surroundings.folder, options.workspace ?? ".");
  const { name, said } = nameAndPrompt(runtime, typed, words);
  if (name !== undefined && !isKnown(runtime, name)) {
    const known = await knownAgents(runtime);
    throw new WrongUse(`There is no agent called "${name}". Known here:\n${known}`, usage);
  }
  const choice = choose(runtime.registry, {
    workspace,
    settings: settingsOf(options, surroundings.folder),
    environment: surroundings.environment,
    fallback: defaultAgent,
    ...(name !== undefined && { agent: name }),
    ...(options.mode !== undefined && { mode: options.mode }),
  });
  for (const notice of choice.notices) surroundings.screen.warn(notice);
  const prompt = await promptOf(said, surroundings);
  if (prompt === null && choice.by === "default")
    throw new WrongUse(`Which agent? Known here:\n${await knownAgents(runtime)}`, usage);
  const json = options.json === true;
  if (prompt === null && (!surroundings.attended || json || options.detach)) {
    throw new WrongUse("There is no prompt.", `fairlead run ${choice.adapter} "…"`);
  }
  const session = await runtime.start({ ...choice, workspace });
  if (options.detach && prompt !== null) return await leave(surroundings, session, prompt, json);
  return await talk(surroundings, { runtime, session, after: 0, prompt, json, interrupts });
}

/** The first word is an agent's name, unless it is a whole sentence: then the workspace or the environment chooses. */
function nameAndPrompt(
  runtime: Runtime,
  typed: string | undefined,
  words: readonly string[],
): { readonly name: string | undefined; readonly said: readonly string[] } {
  const isSentence = typed !== undefined && !isKnown(runtime, typed) && /\s/.test(typed);
  return isSentence ? { name: undefined, said: [typed, ...words] } : { name: typed, said: words };
}

function isKnown(runtime: Runtime, name: string): boolean {
  return runtime.registry.all.some(({ manifest }) => manifest.id === name);
}

function workspaceOf(folder: string, typed: string): string {
  const workspace = resolve(folder, typed);
  if (!statSync(workspace, { throwIfNoEntry: false })?.isDirectory()) {
    throw new WrongUse(`There is no folder ${workspace}.`, `mkdir -p ${workspace}`);
  }
  return workspace;
}

function positive(typed: string): number {
  if (!/^[1-9]\d*$/.test(typed)) throw new InvalidArgumentError("It must be a whole number from 1.");
  return Number(typed);
}

function collect(typed: string, before: readonly string[] = []): string[] {
  return [...before, typed];
}

const usage = 'fairlead run AGENT "…"';

const help = `
Modes:
${Object.entries(permissionModes)
  .map(([mode, means]) => `  ${mode}\n      ${means}`)
  .join("\n")}

Examples:
  fairlead run scripted "say hello"
  fairlead run scripted --mode full-auto "say hello"
  fairlead run shell --set timeout=5000 -- ls -la
  git diff | fairlead run scripted --json
  fairlead run "fix the failing test"

Without an agent's name, fairlead.yaml in the workspace chooses (agent, model, mode, systemPrompt, maxTurns, and settings
under an agent's name), then FAIRLEAD_AGENT and FAIRLEAD_MODEL, then the default.

Exit codes: 0 completed, 1 failed, 2 wrong use, 3 stopped by a limit, 130 interrupted.`;

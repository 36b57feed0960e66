import { statSync } from "node:fs";
import { resolve } from "node:path";
import { PermissionMode, permissionModes } from "@fairlead/contract";
import type { Runtime, Session } from "@fairlead/runtime";
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
    .argument("[agent]", "which agent; `fairlead doctor` lists them")
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
  agent: string | undefined,
  words: readonly string[],
  options: RunOptions,
): Promise<number> {
  using interrupts = new Interrupts();
  await using runtime = await openRuntime(surroundings);
  if (!runtime.registry.all.some(({ manifest }) => manifest.id === agent)) {
    const wrong = agent === undefined ? "Which agent?" : `There is no agent called "${agent}".`;
    throw new WrongUse(`${wrong} Known here:\n${await knownAgents(runtime)}`, 'fairlead run AGENT "…"');
  }
  const settings = settingsOf(options, surroundings.folder);
  const workspace = workspaceOf(surroundings.folder, options.workspace ?? ".");
  const prompt = await promptOf(words, surroundings);
  const json = options.json === true;
  if (prompt === null && (!surroundings.attended || json || options.detach)) {
    throw new WrongUse("There is no prompt.", `fairlead run ${agent} "…"`);
  }
  const session = await start(runtime, agent ?? "", workspace, settings, options);
  if (options.detach && prompt !== null) return await leave(surroundings, session, prompt, json);
  return await talk(surroundings, { runtime, session, after: 0, prompt, json, interrupts });
}

function start(
  runtime: Runtime,
  adapter: string,
  workspace: string,
  settings: unknown,
  { mode }: RunOptions,
): Promise<Session> {
  return runtime.start({ adapter, workspace, settings, ...(mode !== undefined && { mode }) });
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

Exit codes: 0 completed, 1 failed, 2 wrong use, 3 stopped by a limit, 130 interrupted.`;

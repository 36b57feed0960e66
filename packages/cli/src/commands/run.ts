import { statSync } from "node:fs";
import { resolve } from "node:path";
import { PermissionMode, permissionModes } from "@fairlead/contract";
import { InvalidArgumentError, Option, type Command } from "commander";
import { FollowedSession } from "../conversation/followed-session.ts";
import { Interrupts } from "../conversation/interrupts.ts";
import { leave } from "../conversation/leave.ts";
import { promptOf } from "../conversation/prompt-of.ts";
import { talk } from "../conversation/talk.ts";
import { daemonAt } from "../daemon/daemon-at.ts";
import { daemonPlace } from "../daemon/daemon-place.ts";
import { knownAgents } from "../known-agents.ts";
import { openFairlead } from "../open-fairlead.ts";
import { settingsOf, type SettingsOptions } from "../settings-of.ts";
import type { Surroundings } from "../surroundings.ts";
import { TrustedFiles } from "../trust/trusted-files.ts";
import { WrongUse } from "../wrong-use.ts";
import type { Run } from "./run-command.ts";

export interface RunOptions extends SettingsOptions {
  readonly workspace?: string;
  readonly mode?: PermissionMode;
  readonly name?: string;
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
    .option("-n, --name <name>", "what to call the session, instead of by its id")
    .option("-d, --detach", "print the session's id and leave it running")
    .option("--json", "events and deltas, one JSON value a line")
    .addHelpText("after", help)
    .action((agent: string | undefined, words: string[], options: RunOptions) =>
      run((surroundings) => runAgent(surroundings, agent === undefined ? words : [agent, ...words], options)),
    );
}

async function runAgent(surroundings: Surroundings, words: readonly string[], options: RunOptions): Promise<number> {
  using interrupts = new Interrupts();
  const workspace = workspaceOf(surroundings.folder, options.workspace ?? ".");
  const { chooseAgent } = await import("../choose-agent.ts");
  const { choice, variables, said } = chooseAgent(words, {
    workspace,
    settings: settingsOf(options, surroundings.folder),
    environment: surroundings.environment,
    trusts: (file) => new TrustedFiles(surroundings.home).trusts(file),
    ...(options.mode !== undefined && { mode: options.mode }),
  });
  await using fairlead = await openFairlead(surroundings);
  if (choice === null) {
    const known = await knownAgents(fairlead);
    throw new WrongUse(`There is no agent called "${words[0]}". Known here:\n${known}`, usage);
  }
  for (const notice of choice.notices) surroundings.screen.warn(notice);
  await warnOfOtherVariables(surroundings, variables);
  const prompt = await promptOf(said, surroundings);
  if (prompt === null && choice.by === "default")
    throw new WrongUse(`Which agent? Known here:\n${await knownAgents(fairlead)}`, usage);
  const json = options.json === true;
  if (prompt === null && (!surroundings.attended || json || options.detach)) {
    throw new WrongUse("There is no prompt.", `fairlead run ${choice.agent} "…"`);
  }
  const { agent, settings, mode } = choice;
  const view = await fairlead.start({
    agent: agent,
    workspace,
    settings,
    ...(mode !== undefined && { mode }),
    ...(options.name !== undefined && { name: options.name }),
  });
  const session = await FollowedSession.open(fairlead, view);
  if (options.detach && prompt !== null) return await leave(surroundings, session, prompt, json);
  return await talk(surroundings, { session, view, after: 0, prompt, json, interrupts });
}

/** Agents are given the daemon's environment, which may be older than what was just set here. */
async function warnOfOtherVariables(
  { screen, home, environment }: Surroundings,
  named: readonly string[],
): Promise<void> {
  const account = await daemonAt(daemonPlace(home));
  if (account === null) return;
  const { differingVariables } = await import("../daemon/differing-variables.ts");
  const names = differingVariables(named, environment, account);
  if (names.length === 0) return;
  screen.warn(`The daemon was started with another ${names.join(", ")}, and agents get what it has.`);
  screen.warn("`fairlead down` ends it and no session; the next command starts it with what is set here.");
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
under an agent's name), then FAIRLEAD_AGENT and FAIRLEAD_MODEL, then the default. \`fairlead trust\` lets that file set
more than agent, model, maxTurns and a mode that asks.

Exit codes: 0 completed, 1 failed, 2 wrong use, 3 stopped by a limit, 130 interrupted.`;

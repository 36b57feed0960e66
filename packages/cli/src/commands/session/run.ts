import { type Fairlead, sanitizeText } from "@fairlead/api";
import { FairleadError, Moving, PermissionMode, permissionModes, Sandbox, type ErrorCode } from "@fairlead/contract";
import type { SpendingLimits } from "@fairlead/contract";
import type { WorkspaceFileContent } from "@fairlead/runtime";
import { Option, type Command } from "commander";
import type { AgentSelection, ChooseAgentOptions } from "../../agents/choose-agent.ts";
import { chooseHostAgent, type HostAgentSelection } from "../../agents/choose-host-agent.ts";
import { FollowedSession } from "../../interactive/followed-session.ts";
import { InterruptHandler } from "../../interactive/interrupt-handler.ts";
import { sendAndDetach } from "../../interactive/send-and-detach.ts";
import { readPrompt } from "../../interactive/message-source.ts";
import { runInteractive } from "../../interactive/run-interactive.ts";
import { findDaemon, TrustedFiles } from "@fairlead/daemon";
import { openFairlead } from "../../open-fairlead.ts";
import { readBrief } from "../../arguments/read-brief.ts";
import { collectValues, parseDuration, parseInteger } from "../../arguments/parse-options.ts";
import { parseLimits } from "../../arguments/parse-limits.ts";
import { requestedSandbox, type SandboxArguments } from "../../arguments/requested-sandbox.ts";
import { readRequestedPolicy } from "../../arguments/read-requested-policy.ts";
import { parseSettings, type SettingsOptions } from "../../arguments/parse-settings.ts";
import { table, wrapWords } from "../../render/text-layout.ts";
import type { CliContext } from "../../cli-context.ts";
import { findRemoteUrl } from "../../remote/find-remote-url.ts";
import { UsageError } from "../../usage-error.ts";
import type { CommandRunner } from "../command-runner.ts";
import { requestedPlace, type PlaceArguments } from "./requested-place.ts";
import { warnAboutDifferingVariables } from "./warn-about-differing-variables.ts";
import { warnAboutIgnoredFile } from "./warn-about-ignored-file.ts";
import { warnWithoutSandbox } from "./warn-without-sandbox.ts";

type AnySelection = HostAgentSelection["choice"] | NonNullable<AgentSelection["choice"]>;

export interface RunCommandOptions extends SettingsOptions, SandboxArguments, PlaceArguments {
  readonly mode?: PermissionMode;
  readonly policy?: string;
  readonly unattended?: "wait" | "deny";
  readonly deadline?: number;
  readonly limit?: SpendingLimits;
  readonly room?: string;
  readonly brief?: string;
  readonly tool?: readonly string[];
  readonly mayDelegate?: boolean;
  readonly park?: boolean;
  readonly moving?: string;
  readonly name?: string;
  readonly detach?: boolean;
  readonly json?: boolean;
}

export function addRun(program: Command, run: CommandRunner): void {
  program
    .command("run")
    .summary("Start a session.")
    .description(
      "Start a session and follow it. The prompt comes from the command line or from a pipe. Without one, type messages.",
    )
    .argument("[agent]", "an agent listed by `fairlead agents` (default: from fairlead.yaml or FAIRLEAD_AGENT)")
    .argument("[prompt...]", "message to the agent")
    .option("-w, --workspace <folder>", "folder to work in (default: the current folder)")
    .option("--isolated", "work in a clone of the folder's repository, on a branch of its own")
    .option("--repository <url>", "work in a clone of a git repository, which the host makes in a folder of its own")
    .option("--ref <name>", "branch, tag or commit of the repository (default: its first branch)")
    .addOption(new Option("-m, --mode <mode>", "permission mode, see below").choices(PermissionMode.options))
    .option("--model <name>", "model, as the agent names it")
    .option("--system-prompt <text>", "system prompt")
    .option("--max-turns <number>", "maximum number of steps in a turn", (text: string) => parseInteger(text, 1))
    .option("--set <key=value>", "set any setting to JSON or text; a dot in the key nests", collectValues)
    .option("--settings <file>", "read settings from a JSON file")
    .addOption(
      new Option("--sandbox <kind>", "limit what the agent's processes can reach").choices(Sandbox.shape.kind.options),
    )
    .addOption(
      new Option("--network <access>", "network of the agent in its sandbox").choices(["gate", "open", "none"]),
    )
    .option("--read-only", "let the agent read the workspace and not change it (needs a sandbox)")
    .option("--limit <limits>", "pause the session when it has used this: 2usd,400k,30m", parseLimits)
    .option("--policy <file>", "YAML file with rules beside those of policy.yaml and fairlead.yaml")
    .addOption(
      new Option("--unattended <what>", "what happens with calls that a rule asks about").choices(["wait", "deny"]),
    )
    .option("--deadline <duration>", "deny requests that nobody answers in time: 90s, 10m", (text: string) =>
      Math.max(1, Math.round(parseDuration(text) / 1000)),
    )
    .option("--park", "when a quota is used up, pause until its reset and continue then")
    .addOption(
      new Option("--moving <how>", "how the session continues on another host of a fleet, if its own is lost").choices(
        Moving.options,
      ),
    )
    .option("--room <name>", "room of fairlead.yaml that the session works in")
    .option("--brief <file>", "YAML or JSON file with the task, instead of a prompt")
    .option("--tool <name>", "offer the agent a tool: report_progress, ask_person, produce_artifact", collectValues)
    .option("--may-delegate", "let the agent start other sessions, which get a part of its limit")
    .option("-n, --name <name>", "name of the session, usable instead of its id")
    .option("-d, --detach", "print the session's id and leave the session running")
    .option("--json", "print events and deltas, one JSON value per line")
    .addHelpText("after", help)
    .action((agent: string | undefined, words: string[], options: RunCommandOptions) =>
      run((context) => runAgent(context, agent === undefined ? words : [agent, ...words], options)),
    );
}

async function runAgent(context: CliContext, words: readonly string[], options: RunCommandOptions): Promise<number> {
  using interrupts = new InterruptHandler();
  const isRemote = findRemoteUrl(context) !== null;
  const place = requestedPlace(context, options);
  const { workspace } = place;
  const selection = {
    settings: parseSettings(options, context.folder),
    environment: context.environment,
    trusts: (file: WorkspaceFileContent) => new TrustedFiles(context.home).trusts(file),
    ...(options.mode !== undefined && { mode: options.mode }),
  };
  const reason = isRemote ? "FAIRLEAD_URL" : "--repository";
  const { choice, variables, promptWords } =
    isRemote || workspace === undefined
      ? chooseHostAgent(words, { ...selection, reason })
      : await chooseLocalAgent(words, { ...selection, workspace });
  if (options.brief !== undefined && promptWords.length > 0)
    throw new UsageError("A session starts with a prompt or with a brief, not with both.");
  const brief = options.brief === undefined ? undefined : await readBrief(context.folder, options.brief);
  if (!isRemote && workspace !== undefined) warnAboutIgnoredFile(context, workspace);
  await using fairlead = await openFairlead(context);
  if (choice === null) {
    const agentList = await formatVerifiedAgents(fairlead);
    throw new UsageError(`There is no agent "${words[0]}". Agents:\n${agentList}`, usageExample);
  }
  for (const notice of choice.notices) context.screen.warn(notice);
  if (!isRemote) await warnAboutDifferingVariables(context, variables);
  const prompt = brief === undefined ? await readPrompt(promptWords, context) : null;
  const hasTask = prompt !== null || brief !== undefined;
  if (!hasTask && choice.source === "default")
    throw new UsageError(
      `The agent and the prompt are missing. Agents:\n${await formatVerifiedAgents(fairlead)}`,
      usageExample,
    );
  const json = options.json === true;
  if (!hasTask && (!context.isInteractive || json || options.detach)) {
    throw new UsageError("The prompt is missing.", `fairlead run ${choice.agent ?? "AGENT"} "…"`);
  }
  const { agent, settings, mode } = choice;
  const request = {
    ...(agent !== undefined && { agent }),
    ...place,
    settings,
    ...(options.isolated === true && { isolated: true }),
    ...(mode !== undefined && { mode }),
    ...requestedSandbox(options),
    ...(await readRequestedPolicy(context.folder, options)),
    ...(options.limit !== undefined && { limits: options.limit }),
    ...(options.park === true && { park: true }),
    ...(options.moving !== undefined && { moving: Moving.parse(options.moving) }),
    ...(options.room !== undefined && { room: options.room }),
    ...(brief !== undefined && { brief }),
    ...(options.tool !== undefined && { tools: [...options.tool] }),
    ...(options.mayDelegate === true && { mayDelegate: true }),
    ...(options.name !== undefined && { name: options.name }),
  };
  const view = await fairlead.start(request).catch(async (error: unknown) => {
    throw toUsageError(await explainPath(context, explainStartError(error, choice, options)));
  });
  if (view.sandbox.kind === "none" && options.sandbox === undefined) await warnWithoutSandbox(context);
  const session = await FollowedSession.open(fairlead, view);
  // The person who detaches does not see the events.
  if (options.detach) for (const warning of session.startWarnings) context.screen.warn(sanitizeText(warning));
  if (options.detach && hasTask) return await sendAndDetach(context, session, prompt, json);
  const isStarted = brief !== undefined;
  return await runInteractive(context, { session, view, after: 0, message: prompt, isStarted, json, interrupts });
}

/** Names the daemon's PATH as a reason for an agent that is not found, if it differs from the one here. */
async function explainPath(context: CliContext, error: unknown): Promise<unknown> {
  const { home, environment } = context;
  const isAboutDaemon = FairleadError.is(error, "not-installed") && findRemoteUrl(context) === null;
  const daemonInfo = isAboutDaemon ? await findDaemon(home) : null;
  if (daemonInfo === null || !FairleadError.isInstance(error)) return error;
  const { isPathDifferent } = await import("@fairlead/daemon/variables");
  if (!isPathDifferent(environment, daemonInfo)) return error;
  const hint = "The daemon searches its own PATH, which differs from yours. To use yours, type: fairlead down";
  return new FairleadError(error.code, `${error.message}\n${hint}`, { cause: error });
}

/** Errors that the command line or `fairlead.yaml` causes: a taken name, a file that is not trusted, a room that it lacks. */
const wrongRequestCodes: readonly ErrorCode[] = [
  "conflict",
  "invalid-request",
  "not-allowed",
  "not-supported",
  "too-large",
];

function toUsageError(error: unknown): unknown {
  if (!FairleadError.isInstance(error) || !wrongRequestCodes.includes(error.code)) return error;
  return new UsageError(error.message, null, { cause: error });
}

async function chooseLocalAgent(words: readonly string[], options: ChooseAgentOptions): Promise<AgentSelection> {
  // Loaded here: the adapters are large, and a host elsewhere chooses with its own.
  const { chooseAgent } = await import("../../agents/choose-agent.ts");
  try {
    return chooseAgent(words, options);
  } catch (error) {
    throw toUsageError(error);
  }
}

/** Explains an error of the start with what was typed: an option instead of a setting, or no agent. */
function explainStartError(error: unknown, { agent, source }: AnySelection, options: RunCommandOptions): unknown {
  if (FairleadError.is(error, "not-installed") && source === "default") {
    const problem = `No agent was selected; the default is ${agent}, which is not installed.`;
    return new FairleadError(error.code, `${problem} List agents with: fairlead agents\n${error.message}`, {
      cause: error,
    });
  }
  if (!FairleadError.is(error, "invalid-settings") && !FairleadError.is(error, "not-supported")) return error;
  // The schema lists unrecognized keys in one line, in quotes.
  const unrecognizedKeys = /^.*(?:Unrecognized keys?:|the setting) (.*)$/m.exec(error.message)?.[1] ?? "";
  const flags = Object.entries(settingFlags).flatMap(([name, flag]) =>
    options[name as keyof typeof settingFlags] !== undefined && unrecognizedKeys.includes(`"${name}"`) ? [flag] : [],
  );
  if (flags.length === 0) return error;
  const problem = `${agent ?? "The agent"} does not support ${flags.join(", ")}.`;
  return new FairleadError(error.code, `${problem} See: fairlead doctor${agent === undefined ? "" : ` ${agent}`}`, {
    cause: error,
  });
}

/** The options that set a setting of the same name. */
const settingFlags = { model: "--model", systemPrompt: "--system-prompt", maxTurns: "--max-turns" } as const;

/** Lists the verified agents, and which of them are installed. */
async function formatVerifiedAgents(fairlead: Fairlead): Promise<string> {
  const verifiedAgents = (await fairlead.agents()).filter(({ verified }) => verified);
  const rows = verifiedAgents.map(({ agent, probeResult: { installed, version } }) => {
    return [`  ${agent}`, installed ? `installed (${sanitizeText(version ?? "no version")})` : "not installed"];
  });
  return table(rows).join("\n");
}

const usageExample = 'fairlead run AGENT "…"';
/** The help fits a terminal of 60 columns. */
const helpWidth = 58;

const help = `
Modes:
${Object.entries(permissionModes)
  .map(([mode, text]) => [`  ${mode}`, ...wrapWords(text, "      ", helpWidth)].join("\n"))
  .join("\n")}

Examples:
  fairlead run scripted "say hello"
  fairlead run scripted --mode full-auto "say hello"
  fairlead run shell --set timeout=5000 -- ls -la
  git diff | fairlead run scripted --json
  fairlead run "fix the failing test"

Without an agent on the command line, the first of these
selects one:
  1. fairlead.yaml in the workspace. It may set agent,
     model, maxTurns and a mode that asks for approval.
     After \`fairlead trust\` it may also set systemPrompt,
     mode accept-edits, and settings under an agent's name.
     The modes full-auto and dangerously-skip-permissions
     are never taken from the file: type --mode.
  2. FAIRLEAD_AGENT and FAIRLEAD_MODEL.
  3. The default agent.

Exit codes:
  0    The turn completed.
  1    The turn failed.
  2    The command line is wrong.
  3    A limit stopped the turn.
  6    The turn completed, and all requests were denied.
  130  The turn was interrupted.`;

import type { Adapter, LaunchCommand, Opening } from "@fairlead/contract";
import {
  flagsToArguments,
  absoluteFolder,
  PassThroughFlags,
  probeProgram,
  namedPaths,
  userFolders,
  withoutHome,
} from "@fairlead/kit";
import { z } from "zod";
import { createOpenClawDialect, type OpenClawState } from "./dialect.ts";

const Settings = z.strictObject({
  model: z.string().optional().describe("A provider and one of its models, as `provider/model`."),
  options: PassThroughFlags.default({}).describe(
    "Flags of `openclaw agent exec`, without dashes. The other settings override them.",
  ),
  retryDeadline: z
    .int()
    .positive()
    .default(120_000)
    .describe("How long it may retry its model, in ms. Without a limit it retries eight times, for minutes."),
  turnDeadline: z
    .int()
    .positive()
    .default(600_000)
    .describe("How long a whole turn may take, in ms. OpenClaw reports nothing while its model is silent."),
});
type Settings = z.infer<typeof Settings>;

/** The time in ms that the process may take to start and to exit, in addition to the turn. */
const turnOverhead = 60_000;
const noMemoryNotice = "OpenClaw does not keep the conversation between messages here. Each message starts a new one.";

export const openclawAdapter: Adapter<OpenClawState> = {
  manifest: {
    contract: "adapter/1",
    id: "openclaw",
    version: "0.1.0",
    vendor: "OpenClaw",
    label: "OpenClaw",
    models: [],
    capabilities: ["interrupt", "queue", "usage", "cost"],
    messages: "independent",
    // OpenClaw's own configuration decides what it may do. No flag overrides it.
    modes: ["default"],
    settings: Settings,
    secretSettings: ["options"],
    environment: [
      "OPENCLAW_*",
      "ANTHROPIC_*",
      "OPENAI_*",
      "GEMINI_*",
      // Not all of Google's: OpenClaw's channels have tokens of their own, which no model needs.
      "GOOGLE_API_KEY",
      "GOOGLE_APPLICATION_CREDENTIALS",
      "GOOGLE_CLOUD_*",
      "OPENROUTER_*",
      "NODE_COMPILE_CACHE",
    ],
  },

  async probe(host) {
    const keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"];
    const auth = keys.some((key) => host.hasVariable(key)) ? "api-key" : "unknown";
    const probeResult = await probeProgram(host, {
      program: "openclaw",
      helpArgs: ["agent", "exec", "--help"],
      missingMessage: "OpenClaw is not installed: run `npm install -g openclaw`.",
      auth,
    });
    if (!probeResult.installed) return probeResult;
    const isConfigured = host.hasVariable("OPENCLAW_CONFIG_PATH") || (await host.exists("~/.openclaw/openclaw.json"));
    const problems: string[] = [];
    if (!isConfigured && auth === "unknown") problems.push("OpenClaw has no model yet: run `openclaw onboard`.");
    for (const flag of ["--cwd", "--json", "--message-file"]) {
      if (!probeResult.flags.includes(flag))
        problems.push(`This version does not support agent exec ${flag}. Install 2026.9 or newer.`);
    }
    return { ...probeResult, auth: isConfigured && auth === "unknown" ? "login" : auth, problems };
  },

  needs(_opening, environment) {
    const { home, cache } = userFolders(environment);
    const openclawHome = absoluteFolder(environment["OPENCLAW_HOME"], home);
    const state = absoluteFolder(environment["OPENCLAW_STATE_DIR"], `${openclawHome}/.openclaw`);
    return {
      // A turn keeps its state in a temporary folder. The state of OpenClaw's gateway, which it only reads, contains jobs
      // and approvals: who can write there can make the gateway run commands.
      writes: [`${cache}/openclaw/`],
      reads: [
        ...withoutHome(environment, [state]),
        ...namedPaths(environment, ["OPENCLAW_CONFIG_PATH", "NODE_COMPILE_CACHE"]),
      ],
      hides: [`${state}/exec-approvals.sock`],
      protects: [],
      hosts: ["api.anthropic.com", "api.openai.com", "generativelanguage.googleapis.com", "openrouter.ai"],
      services: environment["ANTHROPIC_BASE_URL"] === undefined ? [] : [environment["ANTHROPIC_BASE_URL"]],
    };
  },

  open(opening) {
    const settings = Settings.parse(opening.settings);
    const knownFlags = new Set(opening.probeResult.flags);
    const unknownFlags = Object.keys(settings.options).filter(
      (flag) => knownFlags.size > 0 && !knownFlags.has(`--${flag}`),
    );
    return {
      processLifetime: "turn",
      protocol: "exec",
      dialect: createOpenClawDialect({
        launchCommand: buildLaunchCommand(opening, settings, unknownFlags),
        retryDeadline: settings.retryDeadline,
        turnDeadline: settings.turnDeadline + turnOverhead,
        notices: [
          noMemoryNotice,
          ...unknownFlags.map((flag) => `This version does not support --${flag}. The flag was left out.`),
        ],
      }),
    };
  },
};

function buildLaunchCommand(
  { probeResult, workspace }: Opening,
  settings: Settings,
  unknownFlags: readonly string[],
): LaunchCommand {
  const knownOptions = Object.entries(settings.options).filter(([flag]) => !unknownFlags.includes(flag));
  const flags = {
    ...Object.fromEntries(knownOptions),
    ...(settings.model !== undefined && { model: settings.model }),
    timeout: Math.ceil(settings.turnDeadline / 1000),
    json: true,
    cwd: workspace,
    "message-file": "-",
  };
  return {
    program: probeResult.program ?? "openclaw",
    args: ["agent", "exec", ...flagsToArguments(flags)],
    env: {},
    cwd: workspace,
    stdin: "pipe",
  };
}

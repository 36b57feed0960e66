import type { Conversation, Opening } from "@fairlead/contract";
import { flagsToArguments, absoluteFolder, namedPaths, userFolders, withoutHome } from "@fairlead/kit";
import { AcpSettings, defineAcpAdapter, type AcpLaunchContext } from "../acp/adapter.ts";
import { geminiTools, readGeminiCommand } from "./actions.ts";
import { createGeminiDialect } from "./dialect.ts";
import { parseGeminiCommandReport } from "./wire.ts";

// Without this variable the program starts itself a second time, and the first process cannot be stopped cleanly.
const env = { GEMINI_CLI_NO_RELAUNCH: "true" };

/** Variables that name files which Gemini CLI reads. */
const namedFiles = ["GEMINI_SYSTEM_MD", "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GOOGLE_APPLICATION_CREDENTIALS"];

export const geminiCliAdapter = defineAcpAdapter({
  id: "gemini-cli",
  version: "0.1.0",
  vendor: "Google",
  label: "Gemini CLI",
  models: ["auto", "gemini-3.1-pro-preview", "gemini-3-flash-preview", "gemini-2.5-pro", "gemini-2.5-flash"],
  capabilities: [
    "streaming",
    "reasoning",
    "tools",
    "file-events",
    "read-tool",
    "search-tool",
    "fetch-tool",
    "mcp-servers",
    "approvals",
    "interrupt",
    "queue",
    "resume",
    "usage",
  ],
  modes: {
    default: null,
    "accept-edits": "autoEdit",
    plan: "plan",
    "full-auto": null,
    "dangerously-skip-permissions": "yolo",
  },
  environment: ["GEMINI_*", "GOOGLE_*"],
  honors: ["model", "options"],
  probe: {
    program: "gemini",
    missingMessage: "Gemini CLI is not installed: run `npm install -g @google/gemini-cli`.",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    loginFiles: ["~/.gemini/oauth_creds.json"],
    signInHint: "Gemini CLI has no key: set GEMINI_API_KEY.",
    notices: [
      "Google retired Gemini CLI for personal accounts on 2026-06-18. It still works with an API key: set GEMINI_API_KEY.",
    ],
  },
  // Gemini CLI reports a command's output and its failure only in debug mode.
  launch: (context) => ({
    // Gemini CLI starts servers only in a trusted folder, and grants some modes only there.
    args: [
      "--acp",
      "--debug",
      ...buildFlags(context, context.servers.length > 0 || trustedFolderModes.includes(context.mode)),
    ],
    env,
  }),
  fallback: {
    missingFlag: "--acp",
    protocol: "stream-json",
    capabilities: ["streaming", "tools", "interrupt", "queue", "resume", "usage"],
    open: openTurnByTurn,
  },
  serverToolPrefix: "mcp_",
  authMethod: "gemini-api-key",
  needs(environment) {
    const home = absoluteFolder(environment["GEMINI_CLI_HOME"], userFolders(environment).home);
    return {
      writes: withoutHome(environment, [`${home}/.gemini/`]),
      reads: [
        ...withoutHome(
          environment,
          ownPrograms.map((name) => `${home}/.gemini/${name}`),
        ),
        ...namedPaths(environment, namedFiles),
      ],
      hides: [],
      protects: [".gemini/.env", ".gemini/settings.json"],
      hosts: ["generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com"],
      refusedHosts: ["play.googleapis.com"],
      services: ["GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL"].flatMap((name) => environment[name] ?? []),
    };
  },
  // Gemini CLI never asks about commands on its list of harmless ones. The list differs between versions. It reports only
  // calls that it does not ask about as in progress.
  asksBeforeAnnouncing: true,
  quirks: {
    toolName: { idBefore: "__" },
    usage: "meta-quota",
    provider: "google",
    thoughtPrefix: "****\n",
    // Gemini CLI names the record of a conversation after the minute and the first letters of the session id. Before it
    // loads a conversation it creates an empty one: within the same minute, that would overwrite the record to load.
    loadPrefix: " ",
    replayQuietMs: 300,
    // Gemini CLI reports success for a turn whose stream kept breaking. Its own commands use no model and no tokens.
    noUsageFailure: { category: "connection-lost", unless: /^\s*[/$]/ },
    phrases: [[/fetch failed/i, "unreachable"]],
    commandReport: parseGeminiCommandReport,
    tools: geminiTools,
    titleCommand: readGeminiCommand,
  },
});

/** What makes Gemini CLI run programs or stop asking, in all workspaces and outside of a sandbox. */
const ownPrograms = ["settings.json", "trustedFolders.json", ".env", "extensions", "commands", "policies", "hooks"];

/** Modes that Gemini CLI grants only in a trusted folder. */
const trustedFolderModes = ["accept-edits", "dangerously-skip-permissions"];

function buildFlags(
  { settings, probeResult }: Pick<AcpLaunchContext, "settings" | "probeResult">,
  trustsFolder: boolean,
): string[] {
  return flagsToArguments(
    {
      ...settings.options,
      ...(settings.model !== undefined && { model: settings.model }),
      ...(trustsFolder && probeResult.flags.includes("--skip-trust") && { "skip-trust": true }),
    },
    ["acp", "debug"],
  );
}

/**
 * Opens a conversation with a version that lacks ACP: one process per turn, which reports its progress and accepts no
 * answers. It cannot ask for approvals, so it does only what its mode allows.
 */
function openTurnByTurn(opening: Opening): Conversation {
  const { mode, workspace, probeResult } = opening;
  const settings = AcpSettings.parse(opening.settings);
  const approvalModes = { "accept-edits": "auto_edit", plan: "plan", "dangerously-skip-permissions": "yolo" } as const;
  const approvalMode = mode === "default" || mode === "full-auto" ? "default" : approvalModes[mode];
  const flagArgs = buildFlags({ settings, probeResult }, true);
  const dialect = createGeminiDialect({
    continues: opening.continues?.agentSessionId ?? null,
    retryDeadline: settings.retryDeadline,
    launchCommand: (text, agentSessionId) => ({
      program: probeResult.program ?? "gemini",
      args: [
        "--output-format",
        "stream-json",
        "--approval-mode",
        approvalMode,
        ...flagArgs,
        ...(agentSessionId === null ? [] : ["--resume", agentSessionId]),
        `--prompt=${text}`,
      ],
      env,
      cwd: workspace,
      stdin: "none",
    }),
  });
  return { processLifetime: "turn", protocol: "stream-json", dialect };
}

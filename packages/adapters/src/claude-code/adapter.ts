import { Capability, mustAskAboutAll, PermissionMode } from "@fairlead/contract";
import type { Adapter, LaunchCommand, Opening } from "@fairlead/contract";
import { flagsToArguments, PassThroughFlags, probeProgram, retriesWithin } from "@fairlead/kit";
import type { ConversationTarget } from "@fairlead/kit";
import { z } from "zod";
import { createClaudeCodeDialect, type ClaudeCodeState } from "./dialect.ts";
import { configureClaudeCodeServers } from "./mcp-servers.ts";
import { claudeCodeInboxFlags, claudeCodeSandboxVariables, cloudVariables, findClaudeCodeNeeds } from "./needs.ts";
import { untrustedFlags } from "./needs.ts";
import { claudeCodeTranscriptFolder, locateClaudeCodeMemory } from "./transcript.ts";

const Settings = z.strictObject({
  model: z.string().optional().describe("The model, as Claude Code names it."),
  systemPrompt: z.string().optional().describe("Replaces the system prompt."),
  maxTurns: z.int().positive().optional().describe("The maximum number of steps in a turn."),
  options: PassThroughFlags.default({}).describe(
    "Flags of `claude`, without dashes. The other settings override them.",
  ),
  retryDeadline: z
    .int()
    .positive()
    .default(120_000)
    .describe("How long it may retry its model, in ms. Without a limit it retries ten times, for minutes."),
});
type Settings = z.infer<typeof Settings>;

/** The flags of each mode. `full-auto` has none: Claude Code asks, the runtime answers, and the journal has each answer. */
const modeFlags: Readonly<Partial<Record<PermissionMode, object>>> = {
  "accept-edits": { "permission-mode": "acceptEdits" },
  plan: { "permission-mode": "plan" },
  "dangerously-skip-permissions": { "permission-mode": "bypassPermissions", "dangerously-skip-permissions": true },
};

/** The flags that select the protocol of the dialect. */
const protocolFlags = {
  "input-format": "stream-json",
  "output-format": "stream-json",
  verbose: true,
  "include-partial-messages": true,
  "permission-prompt-tool": "stdio",
} as const;

export const claudeCodeAdapter: Adapter<ClaudeCodeState> = {
  manifest: {
    contract: "adapter/1",
    id: "claude-code",
    version: "0.1.0",
    vendor: "Anthropic",
    label: "Claude Code",
    models: ["default", "opus", "sonnet", "haiku"],
    // Its newest version looks for files and text only by commands.
    capabilities: Capability.options.filter((capability) => !["steer", "search-tool"].includes(capability)),
    since: { questions: "2.0.77", "asks-all": "2.1.161" },
    modes: PermissionMode.options,
    settings: Settings,
    secretSettings: ["options"],
    workspaceFiles: [".claude", ".mcp.json", "CLAUDE.md", "CLAUDE.local.md"],
    ignoresWorkspaceFiles: { flag: "--setting-sources" },
    environment: ["ANTHROPIC_*", "CLAUDE_*", "DISABLE_*", ...cloudVariables],
  },

  async probe(host) {
    const auth =
      host.hasVariable("ANTHROPIC_API_KEY") || host.hasVariable("ANTHROPIC_AUTH_TOKEN") ? "api-key" : "unknown";
    const probeResult = await probeProgram(host, {
      program: "claude",
      missingMessage: "Claude Code is not installed: run `npm install -g @anthropic-ai/claude-code`.",
      auth,
    });
    if (!probeResult.installed) return probeResult;
    const missingFlags = ["--input-format", "--resume"].filter((flag) => !probeResult.flags.includes(flag));
    const problems = missingFlags.map((flag) => `This version does not support ${flag}. Install 1.0.128 or newer.`);
    const isSignedIn =
      host.hasVariable("CLAUDE_CODE_OAUTH_TOKEN") || (await host.exists("~/.claude/.credentials.json"));
    if (auth === "unknown" && !isSignedIn) {
      problems.push("Claude Code may not be signed in: run `claude` once and sign in, or set ANTHROPIC_API_KEY.");
    }
    return { ...probeResult, auth: isSignedIn && auth === "unknown" ? "login" : auth, problems };
  },

  transcriptPath: (opening, agentSessionId, environment) =>
    `${claudeCodeTranscriptFolder(opening, environment)}/${agentSessionId}.jsonl`,

  memory: locateClaudeCodeMemory,

  terminalTranscript: ({ opening, environment }) => ({
    folders: [claudeCodeTranscriptFolder(opening, environment)],
    fileName: /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/,
  }),

  terminalCommand(opening, agentSessionId) {
    const settings = { ...Settings.parse(opening.settings), maxTurns: undefined };
    // The default of the terminal allows more than the default here, so the mode is explicit.
    return buildLaunchCommand(opening, settings, { agentSessionId, forking: false }, { "permission-mode": "default" });
  },

  needs: findClaudeCodeNeeds,

  open(opening) {
    const settings = Settings.parse(opening.settings);
    return {
      processLifetime: "session",
      protocol: "stream-json",
      dialect: createClaudeCodeDialect({
        launch: (target) => buildLaunchCommand(opening, settings, target),
        continues: opening.continues,
        retryDeadline: settings.retryDeadline,
        tools: opening.tools ?? [],
        asksAboutAll: mustAskAboutAll(claudeCodeAdapter.manifest, opening),
        notices: findUnknownFlags(opening, settings).map(
          (flag) => `This version does not support --${flag}. The flag was left out.`,
        ),
      }),
    };
  },
};

function findUnknownFlags({ probeResult }: Opening, { options }: Settings): string[] {
  const candidates = [...Object.keys(options), "include-partial-messages"];
  const unknown = candidates.filter((flag) => probeResult.flags.length > 0 && !probeResult.flags.includes(`--${flag}`));
  return unknown.filter((flag) => !Object.hasOwn(untrustedFlags, flag));
}

function buildLaunchCommand(
  opening: Opening,
  settings: Settings,
  target: ConversationTarget,
  baseFlags: object = protocolFlags,
): LaunchCommand {
  const servers = configureClaudeCodeServers(opening.mcpServers ?? [], settings.options);
  const flags = {
    ...claudeCodeInboxFlags(opening),
    ...settings.options,
    ...servers.flags,
    ...(opening.untrustedFiles !== undefined && untrustedFlags),
    ...baseFlags,
    ...(settings.model !== undefined && { model: settings.model }),
    ...(settings.systemPrompt !== undefined && { "system-prompt": settings.systemPrompt }),
    ...(settings.maxTurns !== undefined && { "max-turns": settings.maxTurns }),
    ...modeFlags[opening.mode],
    ...(target.agentSessionId !== null && { resume: target.agentSessionId, "fork-session": target.forking }),
  };
  return {
    program: opening.probeResult.program ?? "claude",
    args: [
      ...(baseFlags === protocolFlags ? ["-p"] : []),
      ...flagsToArguments(flags, findUnknownFlags(opening, settings)),
    ],
    env: {
      // Older versions report no retries. A limit below the deadline makes them stop in time and report the cause.
      CLAUDE_CODE_MAX_RETRIES: `${retriesWithin(0.75 * settings.retryDeadline, { first: 500, longest: 32e3 })}`,
      ...claudeCodeSandboxVariables(opening),
      ...servers.env,
    },
    cwd: opening.workspace,
    stdin: "pipe",
  };
}

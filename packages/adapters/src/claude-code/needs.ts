import { isOlderVersion, type AgentNeeds, type Opening } from "@fairlead/contract";
import { absoluteFolder, namedPaths, userFolders, withoutHome } from "@fairlead/kit";

/** Returns the folder of Claude Code's own files. */
export function claudeCodeFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return absoluteFolder(environment["CLAUDE_CONFIG_DIR"], `${userFolders(environment).home}/.claude`);
}

/** What Claude Code reads if its service is Amazon Bedrock or Google Vertex AI. A key of another Google service is none of it. */
export const cloudVariables = [
  "AWS_*",
  "CLOUD_ML_REGION",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "GOOGLE_CLOUD_*",
  "GOOGLE_EXTERNAL_ACCOUNT_*",
];

/** The first version that was seen to run although it cannot write the file of its global state. */
const worksWithoutStateFile = "2.1.325";

/**
 * Folders that Claude Code shares with its other sessions and its background service: keys of the inboxes, tokens of
 * editors, jobs and workers that the service starts, and scripts that run before each command.
 */
const sharedFolders = ["daemon", "ide", "jobs", "session-env", "sessions", "shell-snapshots", "teams"];

/**
 * What makes Claude Code run programs or stop asking, in all workspaces and outside of a sandbox: settings, hooks, plugins,
 * and the program itself where it installed itself.
 */
const ownPrograms = [
  "settings.json",
  "settings.local.json",
  "hooks",
  "plugins",
  "commands",
  "agents",
  "skills",
  "output-styles",
  "local",
];

/** The files that Claude Code writes besides its transcripts, and those through which it would leave a sandbox. */
export function findClaudeCodeNeeds(
  { probeResult }: Opening,
  environment: Readonly<Record<string, string | undefined>>,
): AgentNeeds {
  const { home, cache } = userFolders(environment);
  const folder = claudeCodeFolder(environment);
  const { version } = probeResult;
  const needsStateFile = version === null || isOlderVersion(version, worksWithoutStateFile);
  const isStateFileInHome = absoluteFolder(environment["CLAUDE_CONFIG_DIR"], "") === "";
  const writes = [
    `${folder}/`,
    // Contains `.credentials.json`.
    `${absoluteFolder(environment["CLAUDE_SECURESTORAGE_CONFIG_DIR"], folder)}/`,
    `${cache}/claude-cli-nodejs/`,
    // Older versions exit if they cannot write this file. Newer ones replace it, which a sandbox prevents, and ignore the
    // failure. It can name tool servers, so it is writable only where that is of use.
    ...(needsStateFile && isStateFileInHome ? [`${home}/.claude.json`] : []),
  ];
  return {
    writes: withoutHome(environment, [...new Set(writes)]),
    reads: [
      ...ownPrograms.map((name) => `${folder}/${name}`),
      // Names the user's tool servers.
      ...(isStateFileInHome && !needsStateFile ? [`${home}/.claude.json`] : []),
      ...(environment["CLAUDE_CODE_USE_VERTEX"] ? namedPaths(environment, ["GOOGLE_APPLICATION_CREDENTIALS"]) : []),
    ],
    hides: [...sharedFolders.map((name) => `${folder}/${name}/`), `${folder}/daemon.json`],
    protects: [".claude/settings.json", ".claude/settings.local.json", ".mcp.json"],
    hosts: claudeCodeHosts(environment),
    refusedHosts: ["statsig.anthropic.com", "http-intake.logs.us5.datadoghq.com", "o1158394.ingest.us.sentry.io"],
    ...findClaudeCodeCredential(environment),
    services: ["ANTHROPIC_BASE_URL", "ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_VERTEX_BASE_URL"].flatMap(
      (name) => environment[name] ?? [],
    ),
  };
}

/**
 * The key or the token, if the service is Anthropic's API or a gateway to it. With both, Claude Code sends both, and the
 * gate would insert only one. In its own terminal, Claude Code asks once whether it may use the key that stands in.
 */
function findClaudeCodeCredential(
  environment: Readonly<Record<string, string | undefined>>,
): Pick<AgentNeeds, "credential"> {
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_BASE_URL: configuredUrl } = environment;
  const { CLAUDE_CODE_USE_BEDROCK: bedrock, CLAUDE_CODE_USE_VERTEX: vertex } = environment;
  if (bedrock || vertex || Boolean(key) === Boolean(token)) return {};
  const { variable, ...place } = key
    ? { variable: "ANTHROPIC_API_KEY", header: "x-api-key", prefix: "" }
    : { variable: "ANTHROPIC_AUTH_TOKEN", header: "authorization", prefix: "Bearer " };
  return {
    credential: {
      variable,
      ...place,
      url: configuredUrl || "https://api.anthropic.com",
      variables: (url, standIn) => ({ [variable]: standIn, ANTHROPIC_BASE_URL: url }),
    },
  };
}

/** The hosts of the service that the environment chooses. Those after the first renew a login. */
function claudeCodeHosts(environment: Readonly<Record<string, string | undefined>>): string[] {
  const { CLAUDE_CODE_USE_BEDROCK: bedrock, CLAUDE_CODE_USE_VERTEX: vertex, AWS_REGION, CLOUD_ML_REGION } = environment;
  if (bedrock) return [`bedrock-runtime.${AWS_REGION ?? "us-east-1"}.amazonaws.com`];
  if (vertex) {
    const regional = CLOUD_ML_REGION === undefined ? [] : [`${CLOUD_ML_REGION}-aiplatform.googleapis.com`];
    return [...regional, "aiplatform.googleapis.com", "oauth2.googleapis.com"];
  }
  return ["api.anthropic.com", "platform.claude.com", "console.anthropic.com"];
}

/**
 * Newer versions (seen in 2.1.325, not in 2.0.77) accept messages from other sessions of the user, and start a turn for
 * each. This setting refuses them. Older versions ignore it. A user who passes other settings in `options` replaces it.
 * Older spools, which have no sandbox, must replay the command that they were launched with.
 */
export function claudeCodeInboxFlags({ sandbox, probeResult: { flags } }: Opening): object {
  const canRefuse = sandbox !== undefined && (flags.length === 0 || flags.includes("--settings"));
  return canRefuse ? { settings: JSON.stringify({ crossSessionInbound: "refuse" }) } : {};
}

/** The user's value may name a folder that is read-only in a sandbox, and where other sessions have their sockets. */
export function claudeCodeSandboxVariables({ sandbox }: Opening): Record<string, string> {
  return sandbox?.kind === "bwrap" ? { CLAUDE_CODE_TMPDIR: "/tmp" } : {};
}

/**
 * The flags for a workspace that no person trusts. With `-p`, Claude Code does not ask whether to trust it, and runs the
 * hooks, tool servers and key helpers that the workspace configures. With this flag it ignores them, and CLAUDE.md.
 * It is passed to every version: one that does not know it must fail, and not use those files.
 */
export const untrustedFlags = { "setting-sources": "user" } as const;

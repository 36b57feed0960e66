import { fileURLToPath, pathToFileURL } from "node:url";
import {
  AgentTokenCount,
  parseJsonLine,
  namedPaths,
  userFolders,
  withoutHome,
  type AcpSideChannelMessage,
} from "@fairlead/kit";
import { z } from "zod";
import { defineAcpAdapter, AcpSettings, type AcpLaunchContext } from "../acp/adapter.ts";
import { opencodeTools } from "./actions.ts";

/** The plugin is next to the source and next to the compiled code, each with its own extension. */
const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
const pluginFile = fileURLToPath(new URL(`../../programs/opencode-reporter-plugin.${extension}`, import.meta.url));

const Settings = AcpSettings.extend({
  options: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("Keys of opencode's configuration. The other settings override them."),
});
type Settings = z.infer<typeof Settings>;

/** In a workspace and in its `.opencode`. They name plugins and tool servers. */
const configurationFiles = ["opencode.json", "opencode.jsonc", "tui.json"];

/** In opencode's own folder. It loads code and prompts from them, also outside of a sandbox. */
const codeFolders = ["plugin", "tool", "agent", "command", "mode", "skill"].flatMap((name) => [name, `${name}s`]);

const providers = [
  ["ANTHROPIC", "api.anthropic.com"],
  ["OPENAI", "api.openai.com"],
  ["GEMINI", "generativelanguage.googleapis.com"],
  ["OPENROUTER", "openrouter.ai"],
  ["GROQ", "api.groq.com"],
  ["MISTRAL", "api.mistral.ai"],
  ["DEEPSEEK", "api.deepseek.com"],
  ["XAI", "api.x.ai"],
] as const;
const keys = providers.map(([provider]) => `${provider}_API_KEY`);
/** What opencode reads for Gemini and Vertex AI. A secret of another Google service is none of it. */
const googleVariables = [
  "GOOGLE_API_KEY",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "GOOGLE_CLOUD_*",
  "GOOGLE_EXTERNAL_ACCOUNT_*",
  "GOOGLE_GENERATIVE_AI_API_KEY",
  "GOOGLE_VERTEX_*",
];

export const opencodeAdapter = defineAcpAdapter<Settings>({
  id: "opencode",
  version: "0.1.0",
  vendor: "Anomaly",
  label: "opencode",
  models: [],
  capabilities: [
    "streaming",
    "reasoning",
    "tools",
    "parallel-tools",
    "file-events",
    "read-tool",
    "search-tool",
    "fetch-tool",
    "mcp-servers",
    "approvals",
    "asks-all",
    "interrupt",
    "queue",
    "resume",
    "system-prompt",
    "usage",
    "cost",
  ],
  modes: {
    default: null,
    "accept-edits": null,
    plan: "plan",
    "full-auto": null,
    "dangerously-skip-permissions": null,
  },
  // Only opencode's own configuration says which provider it uses.
  environment: ["OPENCODE_*", "XDG_*", "AWS_*", "AZURE_*", ...googleVariables, ...keys],
  settings: Settings,
  honors: ["model", "systemPrompt", "options"],
  workspaceFiles: ["opencode.json", "opencode.jsonc", ".opencode", "AGENTS.md"],
  // Tried with 1.18.33. Old versions and the branch v2 ignore the variable below, and then use the files without a notice.
  ignoresWorkspaceFiles: { versions: "^1.18.33" },
  // opencode 1.18.33 loads these plugins even without the project's configuration. Its option to load none would also
  // exclude the plugin of this adapter.
  workspacePrograms: [".opencode/plugin", ".opencode/plugins"],
  probe: {
    program: "opencode",
    helpArgs: ["acp", "--help"],
    missingMessage: "opencode is not installed: run `npm install -g opencode-ai`.",
    keyVariables: ["OPENCODE_API_KEY", ...keys],
    loginFiles: ["~/.local/share/opencode/auth.json"],
    // opencode may use a server on this machine, which needs no key.
    signInHint: null,
  },
  serverToolPrefix: "",
  launch: ({ settings, mode, workspace, isTrusted, asksAboutAll, servers }) => ({
    args: ["acp"],
    env: {
      // opencode uses PWD as its folder, not its working directory.
      PWD: workspace,
      // Otherwise opencode runs the plugins and tool servers of the workspace.
      ...(!isTrusted && { OPENCODE_DISABLE_PROJECT_CONFIG: "1" }),
      OPENCODE_CONFIG_CONTENT: JSON.stringify(buildConfiguration({ settings, mode, asksAboutAll, servers })),
      // Before opencode loads a plugin it contacts the npm registry. Without a network that takes minutes.
      npm_config_fetch_retries: "0",
      npm_config_fetch_timeout: "5000",
    },
  }),
  needs(environment) {
    const { config, data, state, cache } = userFolders(environment);
    return {
      writes: withoutHome(
        environment,
        [config, data, state, cache].map((folder) => `${folder}/opencode/`),
      ),
      reads: [
        // Its settings, and folders of code and commands.
        ...[...configurationFiles, ...codeFolders].map((name) => `${config}/opencode/${name}`),
        ...namedPaths(environment, ["OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "GOOGLE_APPLICATION_CREDENTIALS"]),
      ],
      hides: [],
      // Each host of a provider whose key is set, and opencode's own list of models and providers.
      hosts: [
        "models.dev",
        "opencode.ai",
        ...providers.flatMap(([name, host]) => (environment[`${name}_API_KEY`] ? [host] : [])),
      ],
      protects: ["", ".opencode/"].flatMap((folder) => configurationFiles.map((name) => `${folder}${name}`)),
    };
  },
  quirks: {
    toolName: "title",
    tools: opencodeTools,
    usage: "last-step",
    phrases: [[/unable to connect|cannot connect/i, "unreachable"]],
    // opencode retries everything but refused requests.
    defaultCategory: "bad-request",
    sideChannel: parsePluginReport,
  },
});

/** The permissions of each mode. opencode's own default never asks; here it asks before it edits or runs anything. */
const permissions: Readonly<Record<AcpLaunchContext["mode"], object>> = {
  default: { edit: "ask", bash: "ask", webfetch: "ask" },
  "accept-edits": { edit: "allow", bash: "ask", webfetch: "ask" },
  plan: { edit: "ask", bash: "ask", webfetch: "ask" },
  "full-auto": { edit: "ask", bash: "ask", webfetch: "ask" },
  "dangerously-skip-permissions": { "*": "allow" },
};

type ConfigurationContext = Pick<AcpLaunchContext<Settings>, "settings" | "mode" | "asksAboutAll" | "servers">;

function buildConfiguration({ settings, mode, asksAboutAll, servers }: ConfigurationContext): object {
  const { model, systemPrompt, options } = settings;
  // opencode calls tools of servers without a question unless it is told to ask.
  const asksServers = mode === "dangerously-skip-permissions" ? [] : servers.map((name) => [`${name}_*`, "ask"]);
  const { permission: chosen = permissions[mode] } = mode === "default" && !asksAboutAll ? options : {};
  const ofServers = Object.fromEntries(asksServers) as object;
  const ownPermissions = typeof chosen === "object" ? { ...ofServers, ...chosen } : chosen;
  const permission = asksAboutAll ? { "*": "ask" } : ownPermissions;
  const otherPlugins = z.array(z.unknown()).catch([]).parse(options["plugin"]);
  const agents = z.record(z.string(), z.object({}).loose()).catch({}).parse(options["agent"]);
  return {
    ...options,
    permission,
    autoupdate: false,
    plugin: [...otherPlugins, pathToFileURL(pluginFile).href],
    agent: {
      ...agents,
      // opencode does not report the tokens that it uses to name a conversation.
      title: { ...agents["title"], disable: true },
      ...(systemPrompt !== undefined && { build: { ...agents["build"], prompt: systemPrompt } }),
    },
    ...(model !== undefined && { model }),
  };
}

const Count = AgentTokenCount.default(0);
const UsageStep = z.looseObject({
  type: z.literal("step"),
  provider: z.string().default("unknown"),
  model: z.string().default("unknown"),
  tokens: z.looseObject({
    input: Count,
    output: Count,
    reasoning: Count,
    cache: z.looseObject({ read: Count, write: Count }).default({ read: 0, write: 0 }),
  }),
  cost: z.number().nullish(),
});
const PluginReport = z.looseObject({
  witnessed: z.discriminatedUnion("type", [
    UsageStep,
    z.looseObject({ type: z.literal("retry"), words: z.string() }),
    z.looseObject({ type: z.literal("error"), status: z.int().nullable() }),
  ]),
});

/** Parses a line of our plugin. Recordings contain the field `witnessed`. */
function parsePluginReport(line: string): AcpSideChannelMessage | null {
  const report = PluginReport.safeParse(parseJsonLine(line)).data?.witnessed;
  if (report === undefined) return null;
  if (report.type === "retry") return { type: "trouble", status: null, message: report.words };
  if (report.type === "error") return { type: "failure", status: report.status };
  const { provider, model, tokens, cost = null } = report;
  const { input, output, reasoning, cache } = tokens;
  const tokenCounts = {
    uncached: input,
    cacheRead: cache.read,
    cacheWrite: cache.write,
    output: output + reasoning,
    reasoning,
  };
  return { type: "usage", reading: { kind: "delta", provider, model, tokens: tokenCounts, cost } };
}

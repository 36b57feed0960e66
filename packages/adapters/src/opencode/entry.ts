import { fileURLToPath, pathToFileURL } from "node:url";
import { parseJsonLine, type AcpAside } from "@fairlead/kit";
import { z } from "zod";
import { acpAdapter, AcpSettings, type AcpChoice } from "../acp/adapter.ts";

/** The plugin stands beside the source, and beside the emitted code, with the ending that fits. */
const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
const witness = fileURLToPath(new URL(`../../programs/opencode-witness.${ending}`, import.meta.url));

/** Any key of its configuration. What is set by other words takes precedence. */
const Settings = AcpSettings.extend({ options: z.record(z.string(), z.unknown()).default({}) });
type Settings = z.infer<typeof Settings>;

const providers = ["ANTHROPIC", "OPENAI", "GEMINI", "OPENROUTER", "GROQ", "MISTRAL", "DEEPSEEK", "XAI"];
const keys = providers.map((provider) => `${provider}_API_KEY`);

export const opencode = acpAdapter<Settings>({
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
    "approvals",
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
  // Which provider is meant, only its own configuration knows.
  environment: ["OPENCODE_*", "XDG_*", "AWS_*", "AZURE_*", "GOOGLE_*", ...keys],
  settings: Settings,
  honours: ["model", "systemPrompt", "options"],
  probe: {
    program: "opencode",
    help: ["acp", "--help"],
    missing: "opencode is not installed: run `npm install -g opencode-ai`.",
    keys: ["OPENCODE_API_KEY", ...keys],
    logins: ["~/.local/share/opencode/auth.json"],
    // It may be set up with a server on this machine, which needs no key.
    unsigned: null,
  },
  launch: ({ settings, mode, workspace }) => ({
    args: ["acp"],
    env: {
      // It takes this, and not the folder it is started in, for where it is.
      PWD: workspace,
      OPENCODE_CONFIG_CONTENT: JSON.stringify(configuration({ settings, mode })),
      // Before it loads a plugin it waits for the registry of another one, for minutes if there is no way to it.
      npm_config_fetch_retries: "0",
      npm_config_fetch_timeout: "5000",
    },
  }),
  quirks: {
    toolName: "title",
    usage: "last-step",
    phrases: [[/unable to connect|cannot connect/i, "unreachable"]],
    // What it does not try again was refused.
    failure: "bad-request",
    aside,
  },
});

/** By itself it asks before nothing; a session that is not told otherwise asks before it changes or runs anything. */
const permissions: Readonly<Record<AcpChoice["mode"], object>> = {
  default: { edit: "ask", bash: "ask", webfetch: "ask" },
  "accept-edits": { edit: "allow", bash: "ask", webfetch: "ask" },
  plan: { edit: "ask", bash: "ask", webfetch: "ask" },
  "full-auto": { edit: "ask", bash: "ask", webfetch: "ask" },
  "dangerously-skip-permissions": { "*": "allow" },
};

function configuration({ settings, mode }: Pick<AcpChoice<Settings>, "settings" | "mode">): object {
  const { model, systemPrompt, options } = settings;
  const { permission = permissions[mode] } = mode === "default" ? options : {};
  const others = z.array(z.unknown()).catch([]).parse(options["plugin"]);
  const agents = z.record(z.string(), z.object({}).loose()).catch({}).parse(options["agent"]);
  return {
    ...options,
    permission,
    autoupdate: false,
    plugin: [...others, pathToFileURL(witness).href],
    agent: {
      ...agents,
      // What it spends on finding a title for the conversation is told nowhere.
      title: { ...agents["title"], disable: true },
      ...(systemPrompt !== undefined && { build: { ...agents["build"], prompt: systemPrompt } }),
    },
    ...(model !== undefined && { model }),
  };
}

const Count = z.int().default(0);
const Step = z.looseObject({
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
const Witnessed = z.looseObject({
  witnessed: z.discriminatedUnion("type", [
    Step,
    z.looseObject({ type: z.literal("retry"), words: z.string() }),
    z.looseObject({ type: z.literal("error"), status: z.int().nullable() }),
  ]),
});

/** What our plugin in it has told. */
function aside(line: string): AcpAside | null {
  const witnessed = Witnessed.safeParse(parseJsonLine(line)).data?.witnessed;
  if (witnessed === undefined) return null;
  if (witnessed.type === "retry") return { type: "trouble", status: null, words: witnessed.words };
  if (witnessed.type === "error") return { type: "failure", status: witnessed.status };
  const { provider, model, tokens, cost = null } = witnessed;
  const { input, output, reasoning, cache } = tokens;
  const counted = {
    uncached: input,
    cacheRead: cache.read,
    cacheWrite: cache.write,
    output: output + reasoning,
    reasoning,
  };
  return { type: "usage", reading: { kind: "delta", provider, model, tokens: counted, cost } };
}

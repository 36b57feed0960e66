import { Capability, PermissionMode, type Adapter, type LaunchLine, type Opening } from "@fairlead/contract";
import { flagArguments, PassedFlags, probeProgram, retriesWithin } from "@fairlead/kit";
import { z } from "zod";
import { dialectOf, type State } from "./dialect.ts";

const Settings = z.strictObject({
  model: z.string().optional(),
  systemPrompt: z.string().optional(),
  maxTurns: z.int().positive().optional(),
  /** Any flag of the program. What is set by the words above takes precedence. */
  options: PassedFlags.default({}),
  /** How long it may go on trying to reach its model, in milliseconds. By itself it tries ten times, for minutes. */
  retryDeadline: z.int().positive().default(120_000),
});
type Settings = z.infer<typeof Settings>;

/** Of `full-auto` it knows nothing: it keeps asking, the runtime answers, and each answer is in the journal. */
const modeFlag: Readonly<Partial<Record<PermissionMode, string>>> = {
  "accept-edits": "acceptEdits",
  plan: "plan",
  "dangerously-skip-permissions": "bypassPermissions",
};

/** The flags that make the protocol what the dialect understands. */
const protocol = {
  "input-format": "stream-json",
  "output-format": "stream-json",
  verbose: true,
  "include-partial-messages": true,
  "permission-prompt-tool": "stdio",
} as const;

/** In milliseconds, before it tries again. */
const itsPauses = { first: 500, longest: 32_000 };

export const claudeCode: Adapter<State> = {
  manifest: {
    contract: "adapter/1",
    id: "claude-code",
    version: "0.1.0",
    vendor: "Anthropic",
    label: "Claude Code",
    models: ["default", "opus", "sonnet", "haiku"],
    capabilities: Capability.options.filter((one) => one !== "steer"),
    modes: PermissionMode.options,
    settings: Settings,
    environment: ["ANTHROPIC_*", "CLAUDE_*", "AWS_*", "GOOGLE_*", "CLOUD_ML_REGION", "DISABLE_*"],
  },

  async probe(host) {
    const auth = host.has("ANTHROPIC_API_KEY") || host.has("ANTHROPIC_AUTH_TOKEN") ? "api-key" : "unknown";
    const finding = await probeProgram(host, {
      program: "claude",
      version: ["--version"],
      help: ["--help"],
      missing: "Claude Code is not installed: run `npm install -g @anthropic-ai/claude-code`.",
      auth,
    });
    if (!finding.installed) return finding;
    const absent = ["--input-format", "--resume"].filter((flag) => !finding.flags.includes(flag));
    const problems = absent.map((flag) => `This version does not know ${flag}; use 1.0.128 or newer.`);
    const signedIn = host.has("CLAUDE_CODE_OAUTH_TOKEN") || (await host.exists("~/.claude/.credentials.json"));
    if (auth === "unknown" && !signedIn) {
      problems.push("It may not be signed in: run `claude` once and sign in, or set ANTHROPIC_API_KEY.");
    }
    return { ...finding, auth: signedIn && auth === "unknown" ? "login" : auth, problems };
  },

  transcript({ workspace }, native, environment) {
    const folder = environment["CLAUDE_CONFIG_DIR"] ?? `${environment["HOME"] ?? ""}/.claude`;
    return `${folder}/projects/${workspace.replaceAll(/[^a-zA-Z0-9]/g, "-")}/${native}.jsonl`;
  },

  open(opening) {
    const settings = Settings.parse(opening.settings);
    const known = new Set(opening.finding.flags);
    const optional = [...Object.keys(settings.options), "include-partial-messages"];
    const unknown = optional.filter((flag) => known.size > 0 && !known.has(`--${flag}`));
    return {
      life: "session",
      protocol: "stream-json",
      dialect: dialectOf({
        launch: (native) => launch(opening, settings, unknown, native),
        continues: opening.continues?.native ?? null,
        retryDeadline: settings.retryDeadline,
        notices: unknown.map((flag) => `--${flag} is not a flag of this version and was left out.`),
      }),
    };
  },
};

function launch(opening: Opening, settings: Settings, unknown: string[], native: string | null): LaunchLine {
  const flags = {
    ...settings.options,
    ...protocol,
    ...(settings.model !== undefined && { model: settings.model }),
    ...(settings.systemPrompt !== undefined && { "system-prompt": settings.systemPrompt }),
    ...(settings.maxTurns !== undefined && { "max-turns": settings.maxTurns }),
    ...(modeFlag[opening.mode] !== undefined && { "permission-mode": modeFlag[opening.mode] }),
    ...(opening.mode === "dangerously-skip-permissions" && { "dangerously-skip-permissions": true }),
    ...(native !== null && { resume: native }),
  };
  const passed = Object.entries(flags).filter(([flag]) => !unknown.includes(flag));
  return {
    program: opening.finding.program ?? "claude",
    args: ["-p", ...passed.flatMap(([flag, value]) => flagArguments(`--${flag}`, value ?? false))],
    // Older versions say nothing while they try again; so they must give up in time, and say then what was wrong.
    env: { CLAUDE_CODE_MAX_RETRIES: String(retriesWithin(0.75 * settings.retryDeadline, itsPauses)) },
    cwd: opening.workspace,
    stdin: "pipe",
  };
}

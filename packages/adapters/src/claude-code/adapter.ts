import { Capability, PermissionMode, type Adapter, type LaunchLine, type Opening } from "@fairlead/contract";
import { flagsArguments, PassedFlags, probeProgram, retriesWithin, type Entry } from "@fairlead/kit";
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
const modeFlags: Readonly<Partial<Record<PermissionMode, object>>> = {
  "accept-edits": { "permission-mode": "acceptEdits" },
  plan: { "permission-mode": "plan" },
  "dangerously-skip-permissions": { "permission-mode": "bypassPermissions", "dangerously-skip-permissions": true },
};

/** The flags that make the protocol what the dialect understands. */
const protocol = {
  "input-format": "stream-json",
  "output-format": "stream-json",
  verbose: true,
  "include-partial-messages": true,
  "permission-prompt-tool": "stdio",
} as const;

export const claudeCode: Adapter<State> = {
  manifest: {
    contract: "adapter/1",
    id: "claude-code",
    version: "0.1.0",
    vendor: "Anthropic",
    label: "Claude Code",
    models: ["default", "opus", "sonnet", "haiku"],
    capabilities: Capability.options.filter((one) => one !== "steer"),
    since: { questions: "2.0.77" },
    modes: PermissionMode.options,
    settings: Settings,
    environment: ["ANTHROPIC_*", "CLAUDE_*", "AWS_*", "GOOGLE_*", "CLOUD_ML_REGION", "DISABLE_*"],
  },

  async probe(host) {
    const auth = host.has("ANTHROPIC_API_KEY") || host.has("ANTHROPIC_AUTH_TOKEN") ? "api-key" : "unknown";
    const finding = await probeProgram(host, {
      program: "claude",
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

  transcript({ workspace }, agentSessionId, environment) {
    const folder = environment["CLAUDE_CONFIG_DIR"] ?? `${environment["HOME"] ?? ""}/.claude`;
    return `${folder}/projects/${workspace.replaceAll(/[^a-zA-Z0-9]/g, "-")}/${agentSessionId}.jsonl`;
  },

  terminal(opening, agentSessionId) {
    const settings = { ...Settings.parse(opening.settings), maxTurns: undefined };
    // Left to itself, it lets itself do more in its terminal than it does here.
    return launch(opening, settings, { agentSessionId, forking: false }, { "permission-mode": "default" });
  },

  open(opening) {
    const settings = Settings.parse(opening.settings);
    return {
      life: "session",
      protocol: "stream-json",
      dialect: dialectOf({
        launch: (into) => launch(opening, settings, into),
        continues: opening.continues,
        retryDeadline: settings.retryDeadline,
        notices: unknownTo(opening, settings).map(
          (flag) => `--${flag} is not a flag of this version and was left out.`,
        ),
      }),
    };
  },
};

function unknownTo({ finding }: Opening, { options }: Settings): string[] {
  const optional = [...Object.keys(options), "include-partial-messages"];
  return optional.filter((flag) => finding.flags.length > 0 && !finding.flags.includes(`--${flag}`));
}

function launch(opening: Opening, settings: Settings, into: Entry, spoken: object = protocol): LaunchLine {
  const flags = {
    ...settings.options,
    ...spoken,
    ...(settings.model !== undefined && { model: settings.model }),
    ...(settings.systemPrompt !== undefined && { "system-prompt": settings.systemPrompt }),
    ...(settings.maxTurns !== undefined && { "max-turns": settings.maxTurns }),
    ...modeFlags[opening.mode],
    ...(into.agentSessionId !== null && { resume: into.agentSessionId, "fork-session": into.forking }),
  };
  return {
    program: opening.finding.program ?? "claude",
    args: [...(spoken === protocol ? ["-p"] : []), ...flagsArguments(flags, unknownTo(opening, settings))],
    // Older versions say nothing while they try again; so they must give up in time, and say then what was wrong.
    env: { CLAUDE_CODE_MAX_RETRIES: `${retriesWithin(0.75 * settings.retryDeadline, { first: 500, longest: 32e3 })}` },
    cwd: opening.workspace,
    stdin: "pipe",
  };
}

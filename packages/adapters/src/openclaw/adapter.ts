import type { Adapter, LaunchLine, Opening } from "@fairlead/contract";
import { flagArguments, PassedFlags, probeProgram } from "@fairlead/kit";
import { z } from "zod";
import { dialectOf, type State } from "./dialect.ts";

const Settings = z.strictObject({
  /** A provider and one of its models, as `provider/model`. */
  model: z.string().optional(),
  /** Any flag of `openclaw agent exec`. What is set by the other words takes precedence. */
  options: PassedFlags.default({}),
  /** How long it may go on trying to reach its model, in milliseconds. By itself it tries eight times, for minutes. */
  retryDeadline: z.int().positive().default(120_000),
  /** How long a turn may take in all, in milliseconds: it says nothing while its model is silent. */
  turnDeadline: z.int().positive().default(600_000),
});
type Settings = z.infer<typeof Settings>;

/** What it may take to start and to leave, beside the turn itself. */
const aroundTurn = 60_000;
const forgetful = "OpenClaw keeps nothing from one message to the next here: each is a conversation of its own.";

export const openclaw: Adapter<State> = {
  manifest: {
    contract: "adapter/1",
    id: "openclaw",
    version: "0.1.0",
    vendor: "OpenClaw",
    label: "OpenClaw",
    models: [],
    capabilities: ["interrupt", "queue", "usage", "cost"],
    // Its own configuration says what it may do, and no flag of it says otherwise.
    modes: ["default"],
    settings: Settings,
    environment: [
      "OPENCLAW_*",
      "ANTHROPIC_*",
      "OPENAI_*",
      "GEMINI_*",
      "GOOGLE_*",
      "OPENROUTER_*",
      "NODE_COMPILE_CACHE",
    ],
  },

  async probe(host) {
    const keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"];
    const auth = keys.some((key) => host.has(key)) ? "api-key" : "unknown";
    const finding = await probeProgram(host, {
      program: "openclaw",
      help: ["agent", "exec", "--help"],
      missing: "OpenClaw is not installed: run `npm install -g openclaw`.",
      auth,
    });
    if (!finding.installed) return finding;
    const configured = host.has("OPENCLAW_CONFIG_PATH") || (await host.exists("~/.openclaw/openclaw.json"));
    const problems: string[] = [];
    if (!configured && auth === "unknown") problems.push("It has no model yet: run `openclaw onboard`.");
    for (const flag of ["--cwd", "--json", "--message-file"]) {
      if (!finding.flags.includes(flag))
        problems.push(`This version does not know agent exec ${flag}; use 2026.9 or newer.`);
    }
    return { ...finding, auth: configured && auth === "unknown" ? "login" : auth, problems };
  },

  open(opening) {
    const settings = Settings.parse(opening.settings);
    const known = new Set(opening.finding.flags);
    const unknown = Object.keys(settings.options).filter((flag) => known.size > 0 && !known.has(`--${flag}`));
    return {
      life: "turn",
      protocol: "exec",
      dialect: dialectOf({
        line: launchLine(opening, settings, unknown),
        retryDeadline: settings.retryDeadline,
        turnDeadline: settings.turnDeadline + aroundTurn,
        notices: [forgetful, ...unknown.map((flag) => `--${flag} is not a flag of this version and was left out.`)],
      }),
    };
  },
};

function launchLine({ finding, workspace }: Opening, settings: Settings, unknown: readonly string[]): LaunchLine {
  const passed = Object.entries(settings.options).filter(([flag]) => !unknown.includes(flag));
  const flags = {
    ...Object.fromEntries(passed),
    ...(settings.model !== undefined && { model: settings.model }),
    timeout: Math.ceil(settings.turnDeadline / 1000),
    json: true,
    cwd: workspace,
    "message-file": "-",
  };
  return {
    program: finding.program ?? "openclaw",
    args: ["agent", "exec", ...Object.entries(flags).flatMap(([flag, value]) => flagArguments(`--${flag}`, value))],
    env: {},
    cwd: workspace,
    stdin: "pipe",
  };
}

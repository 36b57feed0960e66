import type { Adapter, Finding, LaunchLine, Opening, PermissionMode, ProbeHost } from "@fairlead/contract";
import { probeProgram, type FlagValue } from "@fairlead/kit";
import { z } from "zod";
import { dialectOf, type State } from "./dialect.ts";

const Value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

export const Settings = z.strictObject({
  model: z.string().optional(),
  systemPrompt: z.string().optional(),
  /** Any key of its configuration, with dots: `model_reasoning_effort`. What is set otherwise takes precedence. */
  options: z.record(z.string().regex(/^[\w.-]+$/), Value).default({}),
  /** How long its model may be silent or out of reach, in milliseconds. By itself it waits for ever. */
  retryDeadline: z.int().positive().default(300_000),
});

/** It cannot ask: so a mode is what its sandbox lets it do. */
const sandboxes: Readonly<Record<PermissionMode, string>> = {
  default: "read-only",
  "accept-edits": "workspace-write",
  plan: "read-only",
  // Not declared, as nothing is asked here that could be answered; but a session meant for its server may come by.
  "full-auto": "workspace-write",
  "dangerously-skip-permissions": "danger-full-access",
};

/** Codex by its command for scripts. There is more to it by its server, if it has one. */
export const codexExec: Adapter<State> = {
  manifest: {
    contract: "adapter/1",
    id: "codex-exec",
    version: "0.1.0",
    vendor: "OpenAI",
    label: "Codex, by exec",
    models: [],
    capabilities: [
      "reasoning",
      "tools",
      "parallel-tools",
      "file-events",
      "interrupt",
      "queue",
      "resume",
      "take-over",
      "system-prompt",
      "usage",
    ],
    modes: ["default", "accept-edits", "plan", "dangerously-skip-permissions"],
    settings: Settings,
    environment: ["OPENAI_*", "CODEX_*", "AZURE_OPENAI_*", "AWS_*"],
  },

  probe: probeCodex,

  terminal(opening, agentSessionId) {
    const asks = opening.mode === "plan" || opening.mode === "dangerously-skip-permissions" ? "never" : "on-request";
    return launchLine(opening, ["resume", ...configured(configurationOf(opening, asks)), "--", agentSessionId]);
  },

  open(opening) {
    const { continues } = opening;
    const { model, retryDeadline } = Settings.parse(opening.settings);
    const said = ["--json", "--skip-git-repo-check", ...configured(configurationOf(opening, "never")), "--"];
    const line = (text: string, agentSessionId: string | null): LaunchLine => {
      const args =
        agentSessionId === null ? ["exec", ...said, text] : ["exec", "resume", ...said, agentSessionId, text];
      return { ...launchLine(opening, args), stdin: "none" };
    };
    const manner = { line, continues, model: model ?? null, retryDeadline };
    return { life: "turn", protocol: "exec", dialect: dialectOf(manner) };
  },
};

export function launchLine({ finding, workspace }: Opening, args: readonly string[]): LaunchLine {
  return { program: finding.program ?? "codex", args, env: { NO_COLOR: "1" }, cwd: workspace, stdin: "pipe" };
}

/** What a session is told of its mode and settings, whoever leads. */
function configurationOf({ settings, mode }: Opening, asks: "never" | "on-request"): Record<string, FlagValue> {
  const { model, systemPrompt, options } = Settings.parse(settings);
  return {
    ...options,
    approval_policy: asks,
    sandbox_mode: sandboxes[mode],
    ...(model && { model }),
    ...(systemPrompt && { developer_instructions: systemPrompt }),
  };
}

/** Keys of its configuration as arguments. */
export function configured(configuration: Readonly<Record<string, FlagValue>>): string[] {
  return Object.entries(configuration).flatMap(([key, value]) => ["-c", `${key}=${JSON.stringify(value)}`]);
}

async function probeCodex(host: ProbeHost): Promise<Finding> {
  const auth = host.has("OPENAI_API_KEY") || host.has("CODEX_API_KEY") ? "api-key" : "unknown";
  const finding = await probeProgram(host, {
    program: "codex",
    missing: "Codex is not installed: run `npm install -g @openai/codex`.",
    auth,
  });
  if (!finding.installed || auth === "api-key") return finding;
  if (await host.exists("~/.codex/auth.json")) return { ...finding, auth: "login" };
  return { ...finding, problems: ["It may not be signed in: run `codex login`, or set OPENAI_API_KEY."] };
}

/** How its help names its server; kept among the flags that were found. */
export const server = "app-server";

/** The same, and whether it has a server. */
export async function probeServer(host: ProbeHost): Promise<Finding> {
  const finding = await probeCodex(host);
  if (!finding.installed || finding.program === null) return finding;
  const { stdout } = await host.run(finding.program, ["--help"]);
  if (/^\s+app-server\b/m.test(stdout)) return { ...finding, flags: [...finding.flags, server] };
  const old = "This version has no app server: it is used as codex-exec, which cannot ask. Use a newer one.";
  return { ...finding, problems: [old, ...finding.problems] };
}

import type { Adapter, LaunchCommand, Opening, PermissionMode, ProbeHost, ProbeResult } from "@fairlead/contract";
import { probeProgram, type FlagValue } from "@fairlead/kit";
import { z } from "zod";
import { createCodexExecDialect, type CodexExecState } from "./dialect.ts";
import { findCodexGateSettings, findCodexNeeds, findCodexTerminalSettings } from "./needs.ts";
import { locateCodexMemory, locateCodexTranscript } from "./transcript.ts";

export { findCodexGateSettings };

const Value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

export const CodexSettings = z.strictObject({
  model: z.string().optional().describe("The model, as Codex names it."),
  systemPrompt: z.string().optional().describe("Instructions for the model."),
  options: z
    .record(z.string().regex(/^[\w.-]+$/), Value)
    .default({})
    .describe("Keys of Codex's configuration, such as `model_reasoning_effort`. The other settings override them."),
  retryDeadline: z
    .int()
    .positive()
    .default(300_000)
    .describe("How long the model may be silent or unreachable, in ms. Codex alone waits without a limit."),
});

/** The sandbox of each mode. `codex exec` cannot ask for approvals, so the sandbox alone limits what it does. */
const sandboxModes: Readonly<Record<PermissionMode, string>> = {
  default: "read-only",
  "accept-edits": "workspace-write",
  plan: "read-only",
  // Not declared, because there are no approvals to answer. A session of the `codex` adapter may still fall back to exec.
  "full-auto": "workspace-write",
  "dangerously-skip-permissions": "danger-full-access",
};

const noDaemonFlag = "--no-daemon";

/** Codex over its command for scripts. The `codex` adapter uses its app server, which can do more. */
export const codexExecAdapter: Adapter<CodexExecState> = {
  manifest: {
    contract: "adapter/1",
    id: "codex-exec",
    version: "0.1.0",
    vendor: "OpenAI",
    label: "Codex (exec)",
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
      "recorded-take-over",
      "system-prompt",
      "usage",
    ],
    since: { "recorded-take-over": "0.164.0" },
    modes: ["default", "accept-edits", "plan", "dangerously-skip-permissions"],
    settings: CodexSettings,
    secretSettings: ["options"],
    workspaceFiles: [".codex"],
    ignoresWorkspaceFiles: { flag: "--config" },
    environment: ["OPENAI_*", "CODEX_*", "AZURE_OPENAI_*", "AWS_*"],
  },

  probe: probeCodex,

  terminalCommand(opening, agentSessionId) {
    const approvalPolicy =
      opening.mode === "plan" || opening.mode === "dangerously-skip-permissions" ? "never" : "on-request";
    const { untrustedFiles, ...others } = opening;
    // In its terminal Codex never trusts a folder by itself. Told not to, it asks before it opens one without such files.
    return buildCodexLaunchCommand(untrustedFiles?.length === 0 ? others : opening, [
      "resume",
      // The shared background server would keep the conversation open after the terminal has ended.
      ...(opening.probeResult.flags.includes(noDaemonFlag) ? [noDaemonFlag] : []),
      ...toConfigArguments({
        ...buildConfiguration(opening, approvalPolicy),
        ...findCodexTerminalSettings(opening, CodexSettings.parse(opening.settings).options),
      }),
      "--",
      agentSessionId,
    ]);
  },

  terminalTranscript: locateCodexTranscript,

  memory: locateCodexMemory,

  needs: (opening, environment) => findCodexNeeds(opening, CodexSettings.parse(opening.settings).options, environment),

  open(opening) {
    const { continues } = opening;
    const { model, retryDeadline } = CodexSettings.parse(opening.settings);
    const commonArgs = [
      "--json",
      "--skip-git-repo-check",
      ...toConfigArguments(buildConfiguration(opening, "never")),
      "--",
    ];
    const buildCommand = (text: string, agentSessionId: string | null): LaunchCommand => {
      const args =
        agentSessionId === null
          ? ["exec", ...commonArgs, text]
          : ["exec", "resume", ...commonArgs, agentSessionId, text];
      return { ...buildCodexLaunchCommand(opening, args), stdin: "none" };
    };
    const dialectOptions = { launchCommand: buildCommand, continues, model: model ?? null, retryDeadline };
    return { processLifetime: "turn", protocol: "exec", dialect: createCodexExecDialect(dialectOptions) };
  },
};

export function buildCodexLaunchCommand(opening: Opening, args: readonly string[]): LaunchCommand {
  const { probeResult, workspace, untrustedFiles } = opening;
  // Codex itself trusts a workspace that it may write, for all later sessions, and then runs what its files name.
  const distrust =
    untrustedFiles === undefined ? [] : ["-c", `projects={${JSON.stringify(workspace)}={trust_level="untrusted"}}`];
  return {
    program: probeResult.program ?? "codex",
    args: [...distrust, ...args],
    env: { NO_COLOR: "1" },
    cwd: workspace,
    stdin: "pipe",
  };
}

/** Builds the configuration for a session's mode and settings, in the terminal as well as in exec. */
function buildConfiguration(opening: Opening, approvalPolicy: "never" | "on-request"): Record<string, FlagValue> {
  const { model, systemPrompt, options } = CodexSettings.parse(opening.settings);
  return {
    ...options,
    ...findCodexGateSettings(opening, options),
    approval_policy: approvalPolicy,
    sandbox_mode: sandboxModes[opening.mode],
    ...(model && { model }),
    ...(systemPrompt && { developer_instructions: systemPrompt }),
  };
}

/** Formats configuration keys as arguments. */
export function toConfigArguments(configuration: Readonly<Record<string, FlagValue>>): string[] {
  return Object.entries(configuration).flatMap(([key, value]) => ["-c", `${key}=${JSON.stringify(value)}`]);
}

async function probeCodex(host: ProbeHost): Promise<ProbeResult> {
  const auth = host.hasVariable("OPENAI_API_KEY") || host.hasVariable("CODEX_API_KEY") ? "api-key" : "unknown";
  const probeResult = await probeProgram(host, {
    program: "codex",
    missingMessage: "Codex is not installed: run `npm install -g @openai/codex`.",
    auth,
  });
  if (!probeResult.installed || auth === "api-key") return probeResult;
  if (await host.exists("~/.codex/auth.json")) return { ...probeResult, auth: "login" };
  return { ...probeResult, problems: ["Codex may not be signed in: run `codex login`, or set OPENAI_API_KEY."] };
}

/** The name of the app server in Codex's help. The probe adds it to the flags that it found. */
export const appServer = "app-server";

/** Probes Codex, and whether it has an app server. */
export async function probeCodexServer(host: ProbeHost): Promise<ProbeResult> {
  const probeResult = await probeCodex(host);
  if (!probeResult.installed || probeResult.program === null) return probeResult;
  const { stdout } = await host.run(probeResult.program, ["--help"]);
  if (/^[ \t]+app-server\b/m.test(stdout)) return { ...probeResult, flags: [...probeResult.flags, appServer] };
  const oldVersionProblem =
    "This version has no app server. It runs as codex-exec, which cannot ask for approvals. Install a newer version.";
  return { ...probeResult, problems: [oldVersionProblem, ...probeResult.problems] };
}

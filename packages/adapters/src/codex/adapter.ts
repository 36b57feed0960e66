import { mustAskAboutAll, PermissionMode, usesFallback, type Adapter, type Opening } from "@fairlead/contract";
import {
  codexExecAdapter,
  toConfigArguments,
  buildCodexLaunchCommand,
  probeCodexServer,
  appServer,
  CodexSettings,
  findCodexGateSettings,
} from "../codex-exec/adapter.ts";
import { createCodexDialect } from "./dialect.ts";
import { configureCodexServers } from "./mcp-servers.ts";

/** Without these options Codex asks questions only in plan mode, and warns about the first option. */
const fixedOptions = {
  "features.default_mode_request_user_input": true,
  suppress_unstable_features_warning: true,
} as const;

const permissions: Readonly<Record<PermissionMode, { approvalPolicy: string; sandbox: string }>> = {
  // Codex reads, and runs commands that cannot write. It asks before it edits or leaves its sandbox.
  default: { approvalPolicy: "on-request", sandbox: "read-only" },
  "accept-edits": { approvalPolicy: "on-request", sandbox: "workspace-write" },
  plan: { approvalPolicy: "never", sandbox: "read-only" },
  // Codex keeps asking and the runtime answers, so that the journal contains each approval.
  "full-auto": { approvalPolicy: "on-request", sandbox: "read-only" },
  "dangerously-skip-permissions": { approvalPolicy: "never", sandbox: "danger-full-access" },
};

/**
 * The permissions of a session in which Codex asks about every command and patch. In a sandbox of Fairlead it needs none of
 * its own. In its read-only sandbox it would run a command that fails a second time, outside the sandbox.
 */
const asksAboutAll = ({ sandbox }: Opening): (typeof permissions)["default"] => ({
  approvalPolicy: "untrusted",
  sandbox: sandbox?.kind === "bwrap" ? "danger-full-access" : "workspace-write",
});

/** Capabilities of the app server that exec lacks. */
const serverCapabilities = [
  "streaming",
  "approvals",
  "asks-all",
  "host-tools",
  "mcp-servers",
  "told-denials",
  "questions",
  "steer",
  "fork",
] as const;

/** An app server that the probe did not see counts as missing, also when the probe could not read the help. */
const fallback = {
  missingFlag: appServer,
  whenFlagsUnknown: true,
  protocol: "exec",
  capabilities: codexExecAdapter.manifest.capabilities,
} as const;

export const codexAdapter: Adapter = {
  ...codexExecAdapter,
  manifest: {
    ...codexExecAdapter.manifest,
    id: "codex",
    label: "Codex",
    capabilities: [...codexExecAdapter.manifest.capabilities, ...serverCapabilities],
    since: { ...codexExecAdapter.manifest.since, fork: "0.164.0" },
    fallback,
    modes: PermissionMode.options,
  },

  probe: probeCodexServer,

  open(opening) {
    const { settings, probeResult, workspace, mode, continues } = opening;
    if (usesFallback(fallback, probeResult.flags)) return codexExecAdapter.open(opening);
    const { model, systemPrompt, options, retryDeadline } = CodexSettings.parse(settings);
    const instructions = systemPrompt === undefined ? {} : { baseInstructions: systemPrompt };
    const dialect = createCodexDialect({
      launchCommand: buildCodexLaunchCommand(opening, [
        appServer,
        ...toConfigArguments({ ...fixedOptions, ...options, ...findCodexGateSettings(opening, options) }),
      ]),
      threadParams: {
        cwd: workspace,
        ...(mustAskAboutAll(codexAdapter.manifest, opening) ? asksAboutAll(opening) : permissions[mode]),
        ...instructions,
        ...configureCodexServers(opening.mcpServers ?? []),
        ...(model && { model }),
      },
      servers: (opening.mcpServers ?? []).map(({ name }) => name),
      continues,
      tools: opening.tools ?? [],
      retryDeadline,
    });
    return { processLifetime: "session", protocol: appServer, dialect };
  },
};

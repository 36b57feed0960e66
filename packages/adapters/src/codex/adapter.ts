import { PermissionMode, type Adapter } from "@fairlead/contract";
import { codexExec, configured, launchLine, probeServer, server, Settings } from "../codex-exec/adapter.ts";
import { dialectOf } from "./dialect.ts";

/** Without these it would ask no questions outside of planning, and complain about being told to. */
const ours = { "features.default_mode_request_user_input": true, suppress_unstable_features_warning: true } as const;

const permissions: Readonly<Record<PermissionMode, { approvalPolicy: string; sandbox: string }>> = {
  // It reads, and runs commands that cannot write; it asks before it edits, or leaves its sandbox.
  default: { approvalPolicy: "on-request", sandbox: "read-only" },
  "accept-edits": { approvalPolicy: "on-request", sandbox: "workspace-write" },
  plan: { approvalPolicy: "never", sandbox: "read-only" },
  // The runtime answers every approval; it keeps asking, so each one is in the journal.
  "full-auto": { approvalPolicy: "on-request", sandbox: "read-only" },
  "dangerously-skip-permissions": { approvalPolicy: "never", sandbox: "danger-full-access" },
};

/** What it can do by its server and not by exec. */
const more = ["streaming", "approvals", "told-denials", "questions", "steer", "fork"] as const;

export const codex: Adapter = {
  ...codexExec,
  manifest: {
    ...codexExec.manifest,
    id: "codex",
    label: "Codex",
    capabilities: [...codexExec.manifest.capabilities, ...more],
    since: { fork: "0.164.0" },
    modes: PermissionMode.options,
  },

  probe: probeServer,

  open(opening) {
    const { settings, finding, workspace, mode, continues } = opening;
    if (!finding.flags.includes(server)) return codexExec.open(opening);
    const { model, systemPrompt, options, retryDeadline } = Settings.parse(settings);
    const instructions = systemPrompt === undefined ? {} : { baseInstructions: systemPrompt };
    const dialect = dialectOf({
      line: launchLine(opening, [server, ...configured({ ...ours, ...options })]),
      thread: { cwd: workspace, ...permissions[mode], ...instructions, ...(model && { model }) },
      continues,
      retryDeadline,
    });
    return { life: "session", protocol: server, dialect };
  },
};

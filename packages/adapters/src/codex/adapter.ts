import { PermissionMode, type Adapter } from "@fairlead/contract";
import { codexExec, configured, launchLine, probeCodex, Settings } from "../codex-exec/adapter.ts";
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

/** How its help names the server; kept among the flags that were found. */
const server = "app-server";

export const codex: Adapter = {
  manifest: {
    ...codexExec.manifest,
    id: "codex",
    label: "Codex",
    capabilities: [...codexExec.manifest.capabilities, "streaming", "approvals", "told-denials", "questions", "steer"],
    modes: PermissionMode.options,
  },

  async probe(host) {
    const finding = await probeCodex(host);
    if (!finding.installed || finding.program === null) return finding;
    const { stdout } = await host.run(finding.program, ["--help"]);
    if (/^\s+app-server\b/m.test(stdout)) return { ...finding, flags: [...finding.flags, server] };
    const old = "This version has no app server: it is used as codex-exec, which cannot ask. Use a newer one.";
    return { ...finding, problems: [old, ...finding.problems] };
  },

  open(opening) {
    const { settings, finding, workspace, mode, continues } = opening;
    if (!finding.flags.includes(server)) return codexExec.open(opening);
    const { model, systemPrompt, options, retryDeadline } = Settings.parse(settings);
    const instructions = systemPrompt === undefined ? {} : { baseInstructions: systemPrompt };
    const dialect = dialectOf({
      line: launchLine(opening, [server, ...configured({ ...ours, ...options })]),
      thread: { cwd: workspace, ...permissions[mode], ...instructions, ...(model && { model }) },
      continues: continues?.native ?? null,
      retryDeadline,
    });
    return { life: "session", protocol: server, dialect };
  },
};

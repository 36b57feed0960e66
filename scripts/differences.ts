import { adapters } from "@fairlead/adapters";
import { Capability, PermissionMode } from "@fairlead/contract";

/** Renders docs/status/differences.md from the manifests. The judge checks that agents show what their manifests declare. */
export function renderDifferencesPage(): string {
  const manifests = adapters.map(({ manifest }) => manifest);
  const ids = manifests.map(({ id }) => id);
  const renderMarks = (isMarked: (index: number) => boolean): string[] =>
    manifests.map((_, index) => (isMarked(index) ? "yes" : "·"));
  const capabilities = Capability.options.map((capability) =>
    renderRow(
      `\`${capability}\``,
      ...renderMarks((index) => manifests[index]?.capabilities.includes(capability) ?? false),
    ),
  );
  const modes = PermissionMode.options.map((mode) =>
    renderRow(`\`${mode}\``, ...renderMarks((index) => manifests[index]?.modes.includes(mode) ?? false)),
  );
  const settingNames = ["model", "systemPrompt", "maxTurns", "options", "retryDeadline"] as const;
  const settings = settingNames.map((settingName) =>
    renderRow(
      `\`${settingName}\``,
      ...renderMarks(
        (index) => manifests[index]?.settings.safeParse({ [settingName]: samples[settingName] }).success ?? false,
      ),
    ),
  );
  return [
    "# How agents differ",
    "",
    "`node scripts/docs.ts` writes this page from the adapters' manifests. The judge checks every declaration on the real",
    "program. Apart from these differences, one brief has the same events on every agent (`npm run claims -- same-skeleton`).",
    "",
    "## Capabilities",
    "",
    ...renderTable("capability", ids, capabilities),
    "## Permission modes",
    "",
    "Starting a session in a mode that the agent does not support fails. The error names the modes that it supports.",
    "",
    ...renderTable("mode", ids, modes),
    "## Common settings",
    "",
    "A setting that the agent does not support is rejected before the session starts. If it comes from `fairlead.yaml` or the",
    "environment, Fairlead omits it and prints a warning. `options` are passed to the agent unchanged. The common settings",
    "override them.",
    "",
    ...renderTable("setting", ids, settings),
  ].join("\n");
}

const samples = { model: "m", systemPrompt: "s", maxTurns: 3, options: {}, retryDeadline: 1000 } as const;

function renderTable(head: string, ids: readonly string[], rows: readonly string[]): string[] {
  return [renderRow(head, ...ids), renderRow("---", ...ids.map(() => "---")), ...rows, ""];
}

function renderRow(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

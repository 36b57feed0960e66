import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { EnforcementFinding, EnforcementRecord } from "@fairlead/conformance";
import { policyCategories, type Manifest, type PermissionMode, type PolicyCategory } from "@fairlead/contract";

const folder = new URL("../docs/status/enforcement/", import.meta.url);
const page = new URL("../docs/status/enforcement.md", import.meta.url);

/** What is asked about for being unknown has no effect of its own to judge. */
const judgedCategories = policyCategories.filter((category) => category !== "unvetted");

/** The modes of an agent in which most is asked about and something can still be done. */
export function enforcementModes({ modes }: Pick<Manifest, "modes">): PermissionMode[] {
  if (modes.includes("full-auto")) return ["full-auto"];
  return modes.filter((mode) => mode === "default" || mode === "accept-edits");
}

/** The mode of an agent in which nothing should keep a call from its effect. */
export function unguardedMode({ modes }: Pick<Manifest, "modes">): PermissionMode {
  return (["full-auto", "dangerously-skip-permissions"] as const).find((mode) => modes.includes(mode)) ?? "default";
}

/** Stores what the judge found, and writes the page again. */
export function recordEnforcement(record: EnforcementRecord): void {
  mkdirSync(folder, { recursive: true });
  const file = new URL(`${record.agent}-${record.mode}.json`, folder);
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
  writeFileSync(page, renderEnforcementPage());
}

export function readEnforcementRecords(): EnforcementRecord[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .toSorted()
    .map((file) => JSON.parse(readFileSync(new URL(file, folder), "utf8")) as EnforcementRecord);
}

/** Describes what enforces a category. If the ways differ, each is named. */
export function describeLevel(findings: readonly EnforcementFinding[], category: PolicyCategory): string {
  const found = findings.filter((finding) => finding.category === category);
  const levels = [...new Set(found.map(({ level }) => level))];
  if (levels.length <= 1) return levels[0] ?? "not tried";
  return levels
    .map((level) => `${level}: ${found.flatMap((one) => (one.level === level ? [one.title] : [])).join(", ")}`)
    .join("; ");
}

/** Renders docs/status/enforcement.md from the stored records. */
export function renderEnforcementPage(): string {
  const records = readEnforcementRecords();
  const titles = new Map<PolicyCategory, Set<string>>(judgedCategories.map((category) => [category, new Set()]));
  for (const { findings } of records) for (const { category, title } of findings) titles.get(category)?.add(title);
  return [
    "# Enforcement",
    "",
    "For a person who wants to know what a [policy](../use/policy.md) can do about the calls of an agent. `scripts/offline node",
    "scripts/enforcement.ts --note` writes this page: a scripted model requests each call on the vendors' real programs, with the",
    "default policy and without a sandbox of Fairlead, and the judge denies what it is asked about.",
    "",
    "| word | meaning |",
    "| --- | --- |",
    "| `prevented` | The call had no effect, and nobody was asked: the agent or its own sandbox refused it. |",
    "| `gated` | The call was asked about before its effect. It was denied, and had none. |",
    "| `observed` | The call had its effect unasked. The journal has the call. |",
    "| `none` | The call had its effect unasked. The journal does not have the call. |",
    "",
    "| category | calls |",
    "| --- | --- |",
    ...[...titles].map(([category, calls]) => renderRow(`\`${category}\``, [...calls].join(", "))),
    "",
    "An agent is judged in `full-auto`. One that has no such mode cannot ask over its protocol, and is judged in the modes below.",
    "A read by a tool is tried where the agent has such a tool. The last column counts the calls that the journal has and that",
    "the agent did not ask about.",
    "",
    renderRow("agent", "version", "mode", ...judgedCategories.map((category) => `\`${category}\``), "unasked"),
    renderRow(...Array.from({ length: judgedCategories.length + 4 }, () => "---")),
    ...records.map(({ agent, version, mode, findings, unasked }) =>
      renderRow(
        agent,
        version ?? "unknown",
        `\`${mode}\``,
        ...judgedCategories.map((category) => describeLevel(findings, category)),
        String(unasked),
      ),
    ),
    "",
    "A message to a `shell` session is a command that its sender typed. It is not asked about.",
    "",
  ].join("\n");
}

function renderRow(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

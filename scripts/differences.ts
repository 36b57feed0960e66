import { adapters } from "@fairlead/adapters";
import { Capability, PermissionMode } from "@fairlead/contract";

/** Which agent declares what, from the manifests. That what is declared is also observed, the judge sees to. */
export function differencesPage(): string {
  const manifests = adapters.map(({ manifest }) => manifest);
  const ids = manifests.map(({ id }) => id);
  const marks = (has: (at: number) => boolean): string[] => manifests.map((_, at) => (has(at) ? "yes" : "·"));
  const capabilities = Capability.options.map((one) =>
    row(`\`${one}\``, ...marks((at) => manifests[at]?.capabilities.includes(one) ?? false)),
  );
  const modes = PermissionMode.options.map((one) =>
    row(`\`${one}\``, ...marks((at) => manifests[at]?.modes.includes(one) ?? false)),
  );
  const words = ["model", "systemPrompt", "maxTurns", "options", "retryDeadline"] as const;
  const settings = words.map((word) =>
    row(`\`${word}\``, ...marks((at) => manifests[at]?.settings.safeParse({ [word]: samples[word] }).success ?? false)),
  );
  return [
    "# How agents differ",
    "",
    "Made from the adapters' manifests by `node scripts/docs.ts`. What is declared is what the judge observed on the real",
    "program; but for these differences, one brief has the same events on every agent (`npm run claims -- same-skeleton`).",
    "",
    "## What they can do",
    "",
    ...table("capability", ids, capabilities),
    "## How much they may do without asking",
    "",
    "A mode that an agent cannot keep is refused, in a sentence that names those it can.",
    "",
    ...table("mode", ids, modes),
    "## What can be set by the same word",
    "",
    "A word that an agent cannot honour is refused before anything starts; from `fairlead.yaml` or the environment it is left",
    "out, and that is said. `options` goes to the agent as it is, and our own words take precedence over it.",
    "",
    ...table("setting", ids, settings),
  ].join("\n");
}

const samples = { model: "m", systemPrompt: "s", maxTurns: 3, options: {}, retryDeadline: 1000 } as const;

function table(head: string, ids: readonly string[], rows: readonly string[]): string[] {
  return [row(head, ...ids), row("---", ...ids.map(() => "---")), ...rows, ""];
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

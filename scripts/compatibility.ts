import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isFailure, type Verdict } from "@fairlead/conformance";

/** What the judge found of one version of an agent. Kept as data beside the page that is made of all of them. */
interface Judged {
  readonly agent: string;
  readonly version: string;
  readonly kept: number;
  readonly of: number;
  /** MUST clauses that were not kept. */
  readonly broken: readonly string[];
  /** MUST clauses that do not apply, since the agent does not declare what they need. */
  readonly absent: readonly string[];
}

const folder = new URL("../docs/compatibility/", import.meta.url);
const page = new URL("../docs/compatibility.md", import.meta.url);

/** Writes down what the judge found, and the page anew. */
export function noteCompatibility(agent: string, version: string, verdicts: readonly Verdict[]): void {
  const must = verdicts.filter(({ level }) => level === "must");
  const judged = must.filter(({ status }) => status !== "absent");
  const broken = judged.filter(isFailure).map(({ clause }) => clause);
  const absent = must.filter(({ status }) => status === "absent").map(({ clause }) => clause);
  const found: Judged = { agent, version, kept: judged.length - broken.length, of: judged.length, broken, absent };
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${agent}@${version}.json`, folder), `${JSON.stringify(found, null, 2)}\n`);
  writeFileSync(page, compatibilityPage());
}

/** The page, from what the judge has written down. */
export function compatibilityPage(): string {
  const all = readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Judged)
    .toSorted((a, b) => a.agent.localeCompare(b.agent) || b.version.localeCompare(a.version, "en", { numeric: true }));
  const rows = all.map(({ agent, version, kept, of, broken, absent }) =>
    row(agent, version, `${kept} of ${of}`, broken.join(", ") || "none", absent.join(", ") || "none"),
  );
  return [
    "# Compatibility",
    "",
    "Printed by the judge (`npm run conformance -- --note`), on the vendors' real programs, offline. Never typed.",
    "",
    row("agent", "version", "MUST clauses kept", "broken", "declared absent"),
    row("---", "---", "---", "---", "---"),
    ...rows,
    "",
  ].join("\n");
}

function row(...cells: string[]): string {
  return `| ${cells.join(" | ")} |`;
}

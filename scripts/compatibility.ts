import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { adapters } from "@fairlead/adapters";
import { isBlockingVerdict, type Verdict } from "@fairlead/conformance";
import { appliesTo, capabilitiesOf, clauses, type Adapter, type Clause, type ClauseId } from "@fairlead/contract";
import { labAgents } from "@fairlead/lab";

/** The verdicts of the judge on one version of an agent: one JSON file, and one row of docs/status/compatibility.md. */
export interface CompatibilityRecord {
  readonly agent: string;
  readonly version: string;
  /** The MUST clauses that the judge applied to this version. */
  readonly clauses: readonly string[];
  /** The applied clauses that were not kept. */
  readonly broken: readonly string[];
  /** The MUST clauses that do not apply, because the agent does not declare a capability that they need. */
  readonly absent: readonly string[];
}

const folder = new URL("../docs/status/compatibility/", import.meta.url);
const page = new URL("../docs/status/compatibility.md", import.meta.url);
const judgedVersionsFile = new URL("../packages/adapters/src/judged-versions.ts", import.meta.url);

/** Stores the verdicts on one version of an agent, and writes the page again. */
export function recordCompatibility(agent: string, version: string, verdicts: readonly Verdict[]): void {
  const record = toCompatibilityRecord(agent, version, verdicts);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${agent}@${version}.json`, folder), `${JSON.stringify(record, null, 2)}\n`);
  writePages();
}

/** The clauses that apply to an agent today and that its stored verdicts lack. */
export function findAddedClauses(agent: string, version: string, { manifest }: Adapter): ClauseId[] {
  const stored = readCompatibilityRecords().find((record) => record.agent === agent && record.version === version);
  const known = new Set([...(stored?.clauses ?? []), ...(stored?.absent ?? [])]);
  return (Object.entries(clauses) as [ClauseId, Clause][])
    .filter(([id, clause]) => !known.has(id) && clause.level === "must" && appliesTo(clause, manifest.capabilities))
    .map(([id]) => id);
}

/** Adds the verdicts on some clauses to the stored ones, and writes the page again. */
export function addToCompatibility(
  agent: string,
  version: string,
  verdicts: readonly Verdict[],
  added: readonly ClauseId[],
): void {
  const stored = readCompatibilityRecords().find((record) => record.agent === agent && record.version === version);
  const record = toCompatibilityRecord(agent, version, mergeVerdicts(verdicts, stored, added));
  writeFileSync(new URL(`${agent}@${version}.json`, folder), `${JSON.stringify(record, null, 2)}\n`);
  writePages();
}

/** A clause that was not judged now keeps its stored verdict, unless it was broken now. */
export function mergeVerdicts(
  verdicts: readonly Verdict[],
  stored: CompatibilityRecord | undefined,
  added: readonly ClauseId[],
): Verdict[] {
  return verdicts.map((verdict) => {
    const isNew = added.includes(verdict.clause) || stored === undefined;
    if (isNew || verdict.status === "absent" || verdict.status === "broken") return verdict;
    if (!stored.clauses.includes(verdict.clause)) return verdict;
    return { ...verdict, status: stored.broken.includes(verdict.clause) ? "broken" : "kept" };
  });
}

export function toCompatibilityRecord(
  agent: string,
  version: string,
  verdicts: readonly Verdict[],
): CompatibilityRecord {
  const mustVerdicts = verdicts.filter(({ level }) => level === "must");
  const idsOf = (selected: readonly Verdict[]): string[] => selected.map(({ clause }) => clause);
  return {
    agent,
    version,
    clauses: idsOf(mustVerdicts.filter(({ status }) => status !== "absent")),
    broken: idsOf(mustVerdicts.filter(isBlockingVerdict)),
    absent: idsOf(mustVerdicts.filter(({ status }) => status === "absent")),
  };
}

/** Reads all stored records, by agent, newest version first. */
export function readCompatibilityRecords(): CompatibilityRecord[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => JSON.parse(readFileSync(new URL(file, folder), "utf8")) as CompatibilityRecord)
    .toSorted((a, b) => a.agent.localeCompare(b.agent) || b.version.localeCompare(a.version, "en", { numeric: true }));
}

/**
 * Compares the clauses that a record was judged on with the clauses that apply to that version today. Returns one
 * phrase per kind of difference. A record with differences is outdated: its counts are not comparable with the other
 * rows.
 */
export function findOutdatedClauses(record: CompatibilityRecord): string[] {
  const adapter = adapters.find(({ manifest }) => manifest.id === record.agent);
  if (adapter === undefined) return [`${record.agent} has no adapter`];
  // Only programs that the lab installs have a version of their own. The others are judged as their newest version.
  const version = labAgents.some(({ id }) => id === record.agent) ? record.version : null;
  const declared = capabilitiesOf(adapter.manifest, version);
  const mustClauses = Object.entries<Clause>(clauses).filter(([, { level }]) => level === "must");
  const mustIds = mustClauses.map(([id]) => id);
  const applicable = mustClauses.filter(([, clause]) => appliesTo(clause, declared)).map(([id]) => id);
  const recorded = [...record.clauses, ...record.absent];
  return [
    describe("the list lacks", mustIds, (id) => !recorded.includes(id)),
    describe("the contract has no", recorded, (id) => !mustIds.includes(id)),
    describe("now applicable:", record.absent, (id) => applicable.includes(id)),
    describe("no longer applicable:", record.clauses, (id) => mustIds.includes(id) && !applicable.includes(id)),
  ].flat();
}

function describe(difference: string, ids: readonly string[], isDifferent: (id: string) => boolean): string[] {
  const differentIds = ids.filter(isDifferent);
  return differentIds.length === 0 ? [] : [`${difference} ${differentIds.join(", ")}`];
}

function writePages(): void {
  writeFileSync(page, renderCompatibilityPage());
  writeFileSync(judgedVersionsFile, renderJudgedVersions());
}

/** Renders packages/adapters/src/judged-versions.ts, as the formatter writes it. */
export function renderJudgedVersions(): string {
  // Of other agents, a record has the version of the adapter.
  const records = readCompatibilityRecords().filter(({ agent }) => labAgents.some(({ id }) => id === agent));
  const lists = Array.from(
    Map.groupBy(records, ({ agent }) => agent),
    ([agent, versions]) => {
      const key = /^[a-z]+$/.test(agent) ? agent : `"${agent}"`;
      const items = versions.map(({ version, clauses: { length }, broken }) => {
        return `{ version: "${version}", clauses: ${length}, kept: ${length - broken.length} }`;
      });
      const isShort = items.length === 1;
      return isShort
        ? `  ${key}: [${items.join()}],`
        : `  ${key}: [\n${items.map((one) => `    ${one},\n`).join("")}  ],`;
    },
  );
  return `/** A version of an agent's program on which the conformance suite was run. */
export interface JudgedVersion {
  readonly version: string;
  /** The number of MUST clauses that apply to it. */
  readonly clauses: number;
  readonly kept: number;
}

/**
 * The judged versions of each agent's program, the newest first: the records of docs/status/compatibility.md.
 * \`node scripts/docs.ts\` writes this file.
 */
export const judgedVersions: Readonly<Record<string, readonly JudgedVersion[]>> = {
${lists.join("\n")}
};
`;
}

/** Renders docs/status/compatibility.md from the stored records. */
export function renderCompatibilityPage(): string {
  const rows = readCompatibilityRecords().map((record) => {
    const { agent, version, broken, absent } = record;
    const outdated = findOutdatedClauses(record);
    const keptCount = `${record.clauses.length - broken.length} of ${record.clauses.length}`;
    const list = outdated.length === 0 ? "current" : `outdated: ${outdated.join("; ")}`;
    return renderRow(agent, version, keptCount, list, broken.join(", ") || "none", absent.join(", ") || "none");
  });
  return [
    "# Compatibility",
    "",
    "`npm run conformance -- --all --note` writes this page. It runs the judge on the vendors' real programs, offline.",
    "",
    "The column `clause list` compares the clauses that a row was judged on with the clauses of today's",
    "[contract](../extend/contract.md). An outdated row counts fewer or other clauses than today's contract has, until that version is",
    "judged again.",
    "",
    renderRow("agent", "version", "MUST clauses kept", "clause list", "broken", "declared absent"),
    renderRow("---", "---", "---", "---", "---", "---"),
    ...rows,
    "",
  ].join("\n");
}

function renderRow(...cells: string[]): string {
  return `| ${cells.join(" | ")} |`;
}

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clauses, type Adapter, type Clause, type ClauseId, type Delta, type Event } from "@fairlead/contract";
import { drift } from "./observed.ts";
import { recite, type Recital } from "./recitals.ts";
import { Rehearsal } from "./rehearsal.ts";
import type { Scenario, Verifies } from "./scenario.ts";
import { scenariosFor } from "./scenarios/index.ts";
import type { Spending } from "./spending.ts";
import type { OpenStage, Stage } from "./stage.ts";
import { verdicts, type Finding, type Verdict } from "./verdict.ts";

export interface Judging {
  /** Told of each scenario as it has been performed. */
  readonly onScenario?: (name: string, findings: readonly Finding[], rehearsal: Rehearsal | undefined) => void;
  /** What the real program said on an earlier day; judged along with what it says today. */
  readonly recordings?: readonly Recital[];
  /** Only scenarios whose name contains this. */
  readonly only?: string;
  /** Looked at before each scenario: when it is exhausted, no more are performed. */
  readonly spending?: Spending;
  /** How many scenarios are performed at a time; one unless told. Each has a stage of its own. */
  readonly lanes?: number;
}

/** Puts the real program into every situation and judges every clause. */
export async function judge(adapter: Adapter, openStage: OpenStage, judging: Judging = {}): Promise<Verdict[]> {
  const declared = adapter.manifest.capabilities;
  const findings: Finding[] = (judging.recordings ?? []).flatMap((recital) => recite(adapter, recital));
  const { only, spending, lanes = 1 } = judging;
  const names = (await namesOf(openStage)).filter((name) => only === undefined || name.includes(only));
  const performed = new Map<string, Performed>();
  const waiting = [...names];
  const lane = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      if (spending?.exhausted != null) return;
      const done = await performOn(adapter, openStage, name, judging);
      if (done === null) continue;
      performed.set(name, done);
      spending?.add(done.told);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const inOrder = names.flatMap((name) => performed.get(name) ?? []);
  findings.push(...inOrder.flatMap((one) => one.findings));
  if (only === undefined) {
    const differences = drift(
      declared,
      inOrder.map((one) => one.told),
    );
    const broken = differences.length === 0 ? null : `${differences.join("; ")}.`;
    findings.push({ clause: "capability:honest", scenario: "all", broken });
  }
  return verdicts(findings, declared);
}

interface Performed {
  readonly findings: readonly Finding[];
  readonly told: readonly (Event | Delta)[];
}

/** Performs the scenario of a name on a stage of its own; null when it is not for this agent. */
async function performOn(
  adapter: Adapter,
  openStage: OpenStage,
  name: string,
  judging: Judging,
): Promise<Performed | null> {
  const folder = mkdtempSync(join(tmpdir(), "fl-"));
  try {
    await using stage = await openStage(join(folder, "s"));
    const scenario = scenariosFor(stage).find((one) => one.name === name);
    const declared = adapter.manifest.capabilities;
    if (scenario === undefined || !scenario.needs.every((need) => declared.includes(need))) return null;
    return await perform(adapter, stage, scenario, folder, judging);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each scenario gets a stage of its own, so that none can disturb another; the names are the same on all of them. */
async function namesOf(openStage: OpenStage): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "fl-"));
  try {
    await using stage = await openStage(join(folder, "s"));
    return scenariosFor(stage).map((scenario) => scenario.name);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function perform(
  adapter: Adapter,
  stage: Stage,
  scenario: Scenario,
  folder: string,
  judging: Judging,
): Promise<Performed> {
  mkdirSync(folder, { recursive: true });
  const findings: Finding[] = [];
  const applies = (clause: ClauseId): boolean => {
    const { needs = [] }: Clause = clauses[clause];
    return needs.every((need) => adapter.manifest.capabilities.includes(need));
  };
  const record = (clause: ClauseId, broken: string | null): void =>
    void findings.push({ clause, scenario: scenario.name, broken });
  const verifies: Verifies = async (clause, check) => {
    if (!applies(clause)) return;
    try {
      await check();
      record(clause, null);
    } catch (error) {
      record(clause, wordsOf(error));
    }
  };
  await using rehearsal = await Rehearsal.open(adapter, stage, folder);
  try {
    await scenario.perform(rehearsal, verifies);
    await rehearsal.end();
  } catch (error) {
    const reached = new Set(findings.map((finding) => finding.clause));
    const missed = scenario.cites.filter((clause) => applies(clause) && !reached.has(clause));
    for (const clause of missed) record(clause, wordsOf(error));
    if (missed.length === 0) record("session:last", wordsOf(error));
  }
  const { records } = rehearsal;
  if (records.length > 0) findings.push(...recite(adapter, { name: scenario.name, records }));
  judging.onScenario?.(scenario.name, findings, rehearsal);
  return { findings, told: rehearsal.told };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

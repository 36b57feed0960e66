import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  appliesTo,
  clauses,
  type Adapter,
  type Clause,
  type ClauseId,
  type Delta,
  type Event,
  type Sandbox,
} from "@fairlead/contract";
import { findCapabilityDrift } from "./capability-drift.ts";
import { runReplayChecks, type Recording } from "./replay-checks.ts";
import { ScenarioRun } from "./scenario-run.ts";
import type { Scenario, VerifyClause } from "./scenario.ts";
import { scenariosFor } from "./scenarios/index.ts";
import type { Spending } from "./spending.ts";
import type { OpenTestBench, TestBench } from "./test-bench.ts";
import { computeVerdicts, type Finding, type Verdict } from "./verdict.ts";

/** A sandbox has a `/tmp` of its own. Some agents treat a home or a workspace that is in it differently. */
const sandboxedTemporaryFolder = "/var/tmp";

export interface JudgeOptions {
  /** Called after each scenario. Without a run if it is too large to be stored. */
  readonly onScenario?: (name: string, findings: readonly Finding[], run: ScenarioRun | undefined) => void;
  /** Earlier output of the real program. The judge checks it together with today's output. */
  readonly recordings?: readonly Recording[];
  /** Runs only the scenarios whose name contains this text. */
  readonly only?: string;
  /** Runs only the scenarios that verify one of these clauses. */
  readonly onlyClauses?: readonly ClauseId[];
  /** Checked before each scenario. When the cap is reached, the judge runs no further scenario. */
  readonly spending?: Spending;
  /** The sandbox of the agent's processes. Default: none. */
  readonly sandbox?: Sandbox["kind"];
  /** The network of that sandbox. Default: open. */
  readonly network?: Sandbox["network"];
  /** Number of scenarios to run at the same time. Default: 1. Each scenario has its own test bench. */
  readonly concurrency?: number;
}

/** Runs the real program through every scenario and returns a verdict for every clause. */
export async function judge(
  adapter: Adapter,
  openBench: OpenTestBench,
  options: JudgeOptions = {},
): Promise<Verdict[]> {
  const declared = adapter.manifest.capabilities;
  const findings: Finding[] = (options.recordings ?? []).flatMap((recording) => runReplayChecks(adapter, recording));
  const { only, onlyClauses, spending, concurrency = 1 } = options;
  const names = (await listScenarios(openBench))
    .filter(({ name }) => only === undefined || name.includes(only))
    .filter((scenario) => onlyClauses === undefined || scenario.clauses.some((clause) => onlyClauses.includes(clause)))
    .map(({ name }) => name);
  const results = new Map<string, ScenarioResult>();
  const queue = [...names];
  const runQueue = async (): Promise<void> => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      if (spending?.exhaustedReason != null) return;
      const result = await runScenarioByName(adapter, openBench, name, options);
      if (result === null) continue;
      results.set(name, result);
      spending?.add(result.outputs);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runQueue));
  const orderedResults = names.flatMap((name) => results.get(name) ?? []);
  findings.push(...orderedResults.flatMap((result) => result.findings));
  if (only === undefined && onlyClauses === undefined) {
    const differences = findCapabilityDrift(
      declared,
      orderedResults.map((result) => result.outputs),
    );
    const problem = differences.length === 0 ? null : `${differences.join("; ")}.`;
    findings.push({ clause: "capability:honest", scenario: "all", problem });
  }
  return computeVerdicts(findings, declared);
}

interface ScenarioResult {
  readonly findings: readonly Finding[];
  readonly outputs: readonly (Event | Delta)[];
}

/**
 * Runs one scenario on its own test bench, so that scenarios cannot disturb each other. Returns null if the agent does
 * not declare a capability that the scenario needs.
 */
async function runScenarioByName(
  adapter: Adapter,
  openBench: OpenTestBench,
  name: string,
  options: JudgeOptions,
): Promise<ScenarioResult | null> {
  const folder = mkdtempSync(join(options.sandbox === "bwrap" ? sandboxedTemporaryFolder : tmpdir(), "fl-"));
  try {
    await using bench = await openBench(join(folder, "s"));
    const scenario = scenariosFor(bench).find((candidate) => candidate.name === name);
    const declared = adapter.manifest.capabilities;
    if (scenario === undefined || !appliesTo(scenario, declared)) return null;
    return await runScenario(adapter, bench, scenario, folder, options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens a test bench to read its scenarios. They are the same on every bench that `openBench` opens. */
async function listScenarios(openBench: OpenTestBench): Promise<Pick<Scenario, "name" | "clauses">[]> {
  const folder = mkdtempSync(join(tmpdir(), "fl-"));
  try {
    await using bench = await openBench(join(folder, "s"));
    return scenariosFor(bench).map(({ name, clauses: verified }) => ({ name, clauses: verified }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runScenario(
  adapter: Adapter,
  bench: TestBench,
  scenario: Scenario,
  folder: string,
  options: JudgeOptions,
): Promise<ScenarioResult> {
  const findings: Finding[] = [];
  const applies = (clause: ClauseId): boolean => appliesTo(clauses[clause] as Clause, adapter.manifest.capabilities);
  const addFinding = (clause: ClauseId, problem: string | null): void =>
    void findings.push({ clause, scenario: scenario.name, problem });
  const verify: VerifyClause = async (clause, check) => {
    if (!applies(clause)) return;
    try {
      await check();
      addFinding(clause, null);
    } catch (error) {
      addFinding(clause, errorMessage(error));
    }
  };
  await using run = await ScenarioRun.open(adapter, bench, folder, {
    ...(options.sandbox && { kind: options.sandbox }),
    ...(options.network && { network: options.network }),
  });
  try {
    await scenario.execute(run, verify);
    await run.end();
  } catch (error) {
    const verifiedClauses = new Set(findings.map((finding) => finding.clause));
    const unverifiedClauses = scenario.clauses.filter((clause) => applies(clause) && !verifiedClauses.has(clause));
    for (const clause of unverifiedClauses) addFinding(clause, errorMessage(error));
    if (unverifiedClauses.length === 0) addFinding("session:last", errorMessage(error));
  }
  const { records } = run;
  if (records.length > 0) findings.push(...runReplayChecks(adapter, { name: scenario.name, records }));
  options.onScenario?.(scenario.name, findings, scenario.unrecorded ? undefined : run);
  return { findings, outputs: run.outputs };
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { clauses } from "@fairlead/contract";
import type { KnownFailures } from "./known-failures.ts";
import { formatRecording, parseRecording, replayRecords, toJsonLines } from "./recording.ts";
import type { ScenarioRun } from "./scenario-run.ts";
import type { Finding } from "./verdict.ts";

/**
 * Whether a scenario may be recorded: it broke no MUST clause, except known failures. The recording of a broken scenario
 * would make wrong events the expected ones.
 */
export function isRecordable(findings: readonly Finding[], known: KnownFailures = {}): boolean {
  return findings.every(
    ({ clause, problem }) => problem === null || clauses[clause].level === "should" || known[clause] !== undefined,
  );
}

/**
 * Stores the spool of a scenario as a recording, with the events that it reduces to. Returns false if there is nothing to
 * store, because the scenario started no session.
 */
export function saveRecording(name: string, run: ScenarioRun, folder: URL): boolean {
  const { adapter, records, workspace, bench } = run;
  if (records.length === 0) return false;
  const file = name.replaceAll(/[^a-z0-9]+/gi, "-").toLowerCase();
  const recording = formatRecording(records, listPathReplacements(workspace, bench.environment));
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${file}.spool.jsonl`, folder), recording);
  writeFileSync(
    new URL(`${file}.events.jsonl`, folder),
    toJsonLines(replayRecords(adapter, parseRecording(recording))),
  );
  return true;
}

/** Maps paths of this machine to placeholders, the longest path first. */
function listPathReplacements(
  workspace: string,
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  const runFolder = workspace.slice(0, workspace.lastIndexOf("/"));
  const node = process.execPath.slice(0, process.execPath.lastIndexOf("/"));
  return {
    [workspace]: "/workspace",
    [runFolder]: "/scene",
    // The judge runs in the folder of the adapter's project, where the adapter's own programs are.
    [process.cwd()]: "/fairlead",
    [node]: "/bin",
    [environment["HOME"] ?? "~"]: "/home",
    [tmpdir()]: "/tmp",
  };
}

/** Judges adapters on their real programs: `npm run conformance -- [--agent ID] [--only TEXT] [--record]`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { adapters } from "@fairlead/adapters";
import {
  toldOf,
  fromRecording,
  judge,
  objections,
  readRecordings,
  report,
  toLines,
  toRecording,
  type Rehearsal,
} from "@fairlead/conformance";
import { stages } from "@fairlead/lab";
import { knownFailures } from "../test/known-failures.ts";

const { values } = parseArgs({
  options: { agent: { type: "string" }, only: { type: "string" }, record: { type: "boolean" } },
});

/** Keeps the spool of a scenario as a recording, with the events that it gives today. */
function keep(name: string, rehearsal: Rehearsal, folder: URL): void {
  const { adapter, records, workspace, stage } = rehearsal;
  if (records.length === 0) return;
  const file = name.replaceAll(/[^a-z0-9]+/gi, "-").toLowerCase();
  const recording = toRecording(records, pathsOf(workspace, stage.environment));
  writeFileSync(new URL(`${file}.spool.jsonl`, folder), recording);
  writeFileSync(new URL(`${file}.events.jsonl`, folder), toLines(toldOf(adapter, fromRecording(recording))));
}

/** Paths of this machine, the longest first, and what stands for them in a recording. */
function pathsOf(workspace: string, environment: Readonly<Record<string, string>>): Record<string, string> {
  const scene = workspace.slice(0, workspace.lastIndexOf("/"));
  const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
  const node = process.execPath.slice(0, process.execPath.lastIndexOf("/"));
  return {
    [workspace]: "/workspace",
    [scene]: "/scene",
    [root]: "/fairlead",
    [node]: "/bin",
    [environment["HOME"] ?? "~"]: "/home",
    [tmpdir()]: "/tmp",
  };
}

let failed = false;
for (const adapter of adapters) {
  const { id } = adapter.manifest;
  const openStage = stages[id];
  if (values.agent !== undefined && values.agent !== id) continue;
  if (openStage === undefined) throw new Error(`The lab has no stage for ${id}.`);
  const folder = new URL(`../packages/adapters/src/${id}/fixtures/`, import.meta.url);
  mkdirSync(folder, { recursive: true });
  console.log(id);
  const verdicts = await judge(adapter, openStage, {
    ...(values.only !== undefined && { only: values.only }),
    // While recordings are being made anew, the old ones have no say.
    recordings: values.record === true ? [] : readRecordings(folder),
    onScenario(name, findings, rehearsal) {
      const broken = findings.filter((finding) => finding.broken !== null);
      console.log(`  ${broken.length === 0 ? "kept  " : "broken"} ${name}`);
      for (const finding of broken) console.log(`         ${finding.clause}: ${finding.broken}`);
      if (values.record === true && rehearsal !== undefined) keep(name, rehearsal, folder);
    },
  });
  console.log(report(verdicts));
  if (values.only === undefined && objections(verdicts, knownFailures[id]).length > 0) failed = true;
}
process.exitCode = failed ? 1 : 0;

import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { fromRecording, toldOf, toLines, toRecording, type Rehearsal } from "@fairlead/conformance";

/** Keeps the spool of a scenario as a recording, with the events that it gives today. */
export function keepRecording(name: string, rehearsal: Rehearsal, folder: URL): void {
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

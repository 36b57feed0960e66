import { emptyKeyedMap, keyedMap, type EventOf, type KeyedMap, type NoteOf } from "@fairlead/contract";
import type { Emitter } from "./emitter.ts";
import type { SessionState } from "./session-state.ts";

/** What is known of the workspace's files since the runtime compares them. */
export interface ObservedFiles {
  /** The git tree of the last comparison. Null if the files cannot be observed. */
  readonly tree: string | null;
  /** The files that the agent reported since then, by absolute path, each with the number of its record. */
  readonly reported: KeyedMap<number>;
}

/** Reports of more files than this are not kept. A change of such a file is then reported twice. */
const maxReported = 2000;

/** Writes the changes that the runtime observed in the workspace. */
export const observedFiles = {
  /** Remembers a file that the agent reported, so that the next comparison does not report it again. */
  addReport(state: SessionState, { path, source }: EventOf<"file.changed">, seq: number): SessionState {
    const { files, opening } = state;
    if (files === null || opening === null || source === "observed" || files.reported.size >= maxReported) return state;
    const reported = keyedMap.set(files.reported, toAbsolute(opening.workspace, path), seq);
    return { ...state, files: { ...files, reported } };
  },

  /** Handles a comparison. One that does not continue from the last one was made by a process that lost the session. */
  compared(emitter: Emitter, { from, root, tree, upTo, files, more, problem }: NoteOf<"files">): void {
    const before = emitter.state.files;
    if ((before?.tree ?? null) !== from || emitter.state.ledger.over) return;
    const reported = before?.reported ?? emptyKeyedMap;
    const workspace = emitter.state.opening?.workspace ?? root;
    const isReported = (path: string): boolean =>
      keyedMap.has(reported, `${workspace}/${path}`) || keyedMap.has(reported, `${root}/${path}`);
    for (const file of files)
      if (!isReported(file.path)) emitter.emitOwn({ type: "file.changed", source: "observed", ...file });
    emitter.state = { ...emitter.state, files: { tree, reported: withoutSeen(reported, upTo) } };
    if (more > 0) report(emitter, "info", `${more} more files changed. fairlead diff shows them.`);
    if (problem !== undefined) report(emitter, "warning", problem);
  },
};

/** The reports that a comparison cannot have seen: the agent wrote them after it began. */
function withoutSeen(reported: KeyedMap<number>, upTo: number): KeyedMap<number> {
  let kept: KeyedMap<number> = emptyKeyedMap;
  for (const [path, seq] of keyedMap.entries(reported)) if (seq > upTo) kept = keyedMap.set(kept, path, seq);
  return kept;
}

function report(emitter: Emitter, level: "info" | "warning", message: string): void {
  emitter.emitOwn({ type: "status.reported", level, message });
}

/** Resolves a path of an agent. Agents write `./a.txt` as well as `/workspace/a.txt`. */
function toAbsolute(workspace: string, path: string): string {
  const steps: string[] = [];
  for (const step of (path.startsWith("/") ? path : `${workspace}/${path}`).split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  return `/${steps.join("/")}`;
}

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { TestBench } from "@fairlead/conformance";
import type { AgentEventType, SpoolRecord } from "@fairlead/contract";
import { spoolFolder, SpoolReader } from "@fairlead/keeper";
import type { Home } from "@fairlead/runtime";
import type { LocalFairlead } from "@fairlead/service";

export interface ObservedPlaces {
  readonly fairlead: LocalFairlead;
  readonly home: Home;
  readonly bench: TestBench;
  readonly workspace: string;
  readonly session: string;
}

/** All that a command can change: what the agent got, what the journal says, which sessions and files there are. */
export interface ObservedState {
  /** Kinds of spool records without the agent's output; notes by their type. */
  readonly records: readonly string[];
  readonly events: readonly AgentEventType[];
  readonly files: Readonly<Record<string, string>>;
  readonly sessions: readonly string[];
  readonly modelContext: string;
}

export async function observeState({
  fairlead,
  home,
  bench,
  workspace,
  session,
}: ObservedPlaces): Promise<ObservedState> {
  const events: AgentEventType[] = [];
  if (session !== "")
    for await (const item of fairlead.events(session)) if ("body" in item) events.push(item.body.type);
  return {
    records: session === "" ? [] : readRecords(home, session).flatMap(describeRecord),
    events,
    files: readWorkspace(workspace),
    sessions: listSessionFolders(home),
    // Without a session there was no request, and a bench may have nothing to read.
    modelContext: (session === "" ? "" : await bench.readModelContext?.()) ?? "",
  };
}

/** What a running turn may add at any time, whatever is called. */
const outputTypes = /^(text|reasoning|tool|usage|status|plan|file)\./;

/**
 * Lists the differences between two states that a refused call must not make. The note of each refused command is
 * allowed, because the spool records what was asked.
 */
export function findSideEffects(before: ObservedState, after: ObservedState, isTurnRunning: boolean): string[] {
  const newRecords = after.records.slice(before.records.length).filter((record) => record !== "note:command");
  const newEvents = after.events
    .slice(before.events.length)
    .filter((type) => !isTurnRunning || !outputTypes.test(type));
  return [
    ...newRecords.map((record) => `record ${record}`),
    ...newEvents.map((type) => `event ${type}`),
    ...(JSON.stringify(before.files) === JSON.stringify(after.files) ? [] : ["files"]),
    ...(before.sessions.join() === after.sessions.join() ? [] : ["sessions"]),
    ...(isTurnRunning || before.modelContext === after.modelContext ? [] : ["model request"]),
  ];
}

function describeRecord({ kind, bytes }: SpoolRecord): string[] {
  if (kind === "out" || kind === "err") return [];
  if (kind !== "note") return [kind];
  const { type } = JSON.parse(Buffer.from(bytes).toString("utf8")) as { type: string };
  // An alarm watches the running turn, and is set before the call.
  return type === "alarm" ? [] : [`note:${type}`];
}

function readRecords(home: Home, session: string): SpoolRecord[] {
  const reader = new SpoolReader(spoolFolder(home.sessionFolder(session)));
  const records: SpoolRecord[] = [];
  for (let batch = reader.read(); batch.length > 0; batch = reader.read()) records.push(...batch);
  return records;
}

function readWorkspace(workspace: string): Record<string, string> {
  const paths = readdirSync(workspace, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(workspace, join(parentPath, name)))
    .toSorted();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(workspace, path), "utf8")]));
}

function listSessionFolders(home: Home): string[] {
  try {
    return readdirSync(home.sessionsFolder).toSorted();
  } catch {
    return []; // No session was started.
  }
}

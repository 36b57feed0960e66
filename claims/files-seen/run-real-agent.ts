/** Lets real agents create, modify and delete files, offline, and prints when each change was recorded: `node run-real-agent.ts AGENT…`. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import type { Event } from "@fairlead/contract";
import { testBenches } from "@fairlead/lab";
import { Home, Runtime, type Session } from "@fairlead/runtime";
import { PersonRepository } from "../../packages/testing/src/runtime/person-repository.ts";

/** One change that an agent was made to make. */
export interface SeenChange {
  readonly agent: string;
  readonly version: string | null;
  readonly isObserved: boolean;
  readonly path: string;
  readonly change: string;
  /** The change that was recorded, or null. */
  readonly recorded: string | null;
  /** Milliseconds from the end of the call to the event; 0 if the event came first. Null if there is none. */
  readonly delayMs: number | null;
}

interface ArrivedEvent extends Event {
  readonly arrivedAt: number;
}

const changes = {
  "created-tool.txt": "created",
  "modified-tool.txt": "modified",
  "deleted-tool.txt": "deleted",
  "created-command.txt": "created",
  "modified-command.txt": "modified",
  "deleted-command.txt": "deleted",
} as const;

/** How long a change that was not recorded is waited for. */
const maxWaitMs = 20_000;

if (import.meta.main) {
  for (const agent of process.argv.slice(2))
    for (const isObserved of [true, false])
      for (const seen of await runAgent(agent, isObserved)) console.log(JSON.stringify(seen));
}

async function runAgent(agent: string, observeFiles: boolean): Promise<SeenChange[]> {
  // Not in the folder for temporary files: with its own files there, codex lacks a program that deletes in a sandbox.
  const folder = mkdtempSync("/var/tmp/seen-");
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  const openBench = testBenches[agent];
  if (openBench === undefined) throw new Error(`There is no test bench for ${agent}.`);
  await using bench = await openBench(join(folder, "s"));
  const existing = Object.keys(changes).filter((name) => !name.startsWith("created"));
  const files = Object.fromEntries(existing.map((name) => [name, "before\n"]));
  const repository = new PersonRepository(join(folder, "w"), files);
  const workspace = repository.folder;
  const { environment, settings = {} } = bench;
  await using runtime = await Runtime.open({ home: new Home(join(folder, "h")), adapters, environment, observeFiles });
  const session = await runtime.start({ agent, workspace, settings, mode: "full-auto" });
  const events: ArrivedEvent[] = [];
  const collected = collect(session, events);
  const turns = [
    bench.buildPrompt(
      [{ actions: [{ write: { path: "created-tool.txt", content: "new\n" } }] }, { text: "Done." }],
      workspace,
    ),
    bench.buildFileChangePrompt?.({ edit: { path: "modified-tool.txt", before: "before", after: "after" } }, workspace),
    bench.buildFileChangePrompt?.({ delete: "deleted-tool.txt" }, workspace),
    bench.buildPrompt(
      ["echo new > created-command.txt", "echo after > modified-command.txt", "rm deleted-command.txt"]
        .map((run) => ({ actions: [{ run }] }))
        .concat({ text: "Done." } as never),
      workspace,
    ),
  ];
  let expected = 0;
  for (const prompt of turns) {
    if (prompt == null) continue; // the agent has no tool for it
    await session.send(prompt);
    expected += 1;
    await until(() => events.filter(({ body }) => body.type === "turn.ended").length >= expected, 120_000);
  }
  const seen = (): SeenChange[] => describeChanges(agent, observeFiles, events);
  await until(() => seen().every(({ recorded }) => recorded !== null), observeFiles ? maxWaitMs : 3000);
  const result = seen();
  await session.end();
  await collected;
  return result;
}

function describeChanges(agent: string, isObserved: boolean, events: readonly ArrivedEvent[]): SeenChange[] {
  const version = events.flatMap(({ body }) => (body.type === "session.started" ? [body.agentVersion] : []))[0] ?? null;
  return Object.entries(changes).flatMap(([path, change]) => {
    const call = events.findLast(
      ({ body }) => body.type === "tool.requested" && JSON.stringify(body).includes(path),
    )?.body;
    if (call?.type !== "tool.requested") return [];
    const ended = events.find(({ body }) => body.type === "tool.ended" && body.call === call.call);
    const recorded = events.find(({ body }) => body.type === "file.changed" && body.path.endsWith(path));
    const delayMs = recorded && ended ? Math.max(0, Math.round(recorded.arrivedAt - ended.arrivedAt)) : null;
    const body = recorded?.body;
    return [
      {
        agent,
        version,
        isObserved,
        path,
        change,
        recorded: body?.type === "file.changed" ? body.change : null,
        delayMs,
      },
    ];
  });
}

async function collect(session: Session, events: ArrivedEvent[]): Promise<void> {
  for await (const one of session.stream(0)) if ("body" in one) events.push({ ...one, arrivedAt: performance.now() });
}

async function until(condition: () => boolean, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!condition() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
}

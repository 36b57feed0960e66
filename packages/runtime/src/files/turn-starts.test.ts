import { mkdirSync, mkdtempDisposableSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent, EventDraft } from "@fairlead/contract";
import { initialSessionState, type SessionState } from "@fairlead/reducer";
import { expect, test } from "vitest";
import { FileObserver, type ObservedSession } from "./file-observer.ts";
import { readTurnTrees } from "./turn-trees.ts";
import { WorkspaceActivity } from "./workspace-activity.ts";

const toDraft = (body: AgentEvent): EventDraft =>
  ({ body, occurredAt: new Date(Date.now() - 1000).toISOString() }) as EventDraft;
const turnEvents = (turn: string): AgentEvent[] => [
  { type: "turn.started", turn } as AgentEvent,
  { type: "tool.requested", call: `${turn}-call` } as AgentEvent,
  { type: "tool.ended", call: `${turn}-call` } as AgentEvent,
  { type: "turn.ended", turn } as AgentEvent,
];

/** Writes a file before the events of turns arrive. */
const writeInTurns =
  (...turns: string[]) =>
  (workspace: string): AgentEvent[] => {
    writeFileSync(join(workspace, "new.txt"), "new\n");
    return turns.flatMap(turnEvents);
  };

const openFolder = () => mkdtempDisposableSync(join(realpathSync(tmpdir()), "turn-starts-"));

/** Observes a session whose events arrive after each of its comparisons has begun. */
async function observe(folder: string, batches: readonly ((workspace: string) => AgentEvent[])[]): Promise<string> {
  const workspace = join(folder, "w");
  mkdirSync(workspace);
  const opening = { session: "s", workspace } as SessionState["opening"];
  const session: { state: SessionState; submitNote: ObservedSession["submitNote"] } = {
    state: { ...initialSessionState, opening },
    submitNote: async ({ tree, root }) => {
      session.state = { ...session.state, files: { ...session.state.files, tree, root } as SessionState["files"] };
    },
  };
  const pending = [...batches];
  const activity = new WorkspaceActivity();
  const turnsFile = join(folder, "turns.jsonl");
  const begun = (): void => observer.notice((pending.shift()?.(workspace) ?? []).map(toDraft), 1);
  const run = activity.run.bind(activity);
  activity.run = (path, compare) =>
    run(path, () => {
      const comparison = compare();
      begun();
      return comparison;
    });
  await using observer = new FileObserver(session, {
    activity,
    turnsFile,
    folder: join(folder, "i"),
    excluded: folder,
  });
  observer.notice([toDraft({ type: "session.started" } as AgentEvent)], 1);
  await observer.settled();
  await observer.flush();
  return turnsFile;
}

test.each([
  ["the first comparison runs", []],
  ["a later comparison runs", [() => [{ type: "session.unpaused" as const }]]],
])("a turn that starts and calls a tool while %s starts with the tree before it", async (_, earlier) => {
  using folder = openFolder();
  const turnsFile = await observe(folder.path, [...earlier, writeInTurns("one")]);
  const { start, end } = await readTurnTrees(turnsFile, "one");
  expect(start).toBeDefined();
  expect(end).not.toBe(start);
});

test("the start of a turn is unknown if no comparison divides its changes from those of the turn before", async () => {
  using folder = openFolder();
  const turnsFile = await observe(folder.path, [() => [{ type: "session.unpaused" }], writeInTurns("one", "two")]);
  expect(await readTurnTrees(turnsFile, "one")).toMatchObject({ start: expect.any(String), end: expect.any(String) });
  expect(await readTurnTrees(turnsFile, "two")).not.toHaveProperty("start");
});

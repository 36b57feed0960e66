/** Lets three sessions edit files at the same time, and counts to which session each change was attributed. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { Home, Runtime, type Session } from "@fairlead/runtime";
import { WorkspaceActivity } from "../../packages/runtime/src/files/workspace-activity.ts";
import { PersonRepository } from "../../packages/testing/src/runtime/person-repository.ts";

/** Where the sessions work. `all-that-run`: in one folder, and a change counts for each session that runs. */
export type EditPlace = "copies" | "one-folder" | "all-that-run";

export interface EditCounts {
  readonly edits: number;
  /** Edits that are attributed to the session that made them, or to a call of it. */
  readonly right: number;
  /** Edits of which the origin is unknown to every session that saw them. */
  readonly unknown: number;
  /** Edits that are attributed to a session that did not make them. */
  readonly wrong: number;
  /** Edits that no session recorded. */
  readonly missed: number;
}

const sessionCount = 3;

export async function countEdits(place: EditPlace, edits: number): Promise<EditCounts> {
  const folder = mkdtempSync(join(tmpdir(), "edits-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  using _activity = place === "all-that-run" ? ignoreOtherSessions() : null;
  const repository = new PersonRepository(join(folder, "w"));
  const environment = { ...process.env, XDG_STATE_HOME: folder };
  await using runtime = await Runtime.open({
    home: new Home(join(folder, "h")),
    adapters,
    environment,
    observeFiles: true,
  });
  const isolated = place === "copies";
  const owners = new Map<string, string>();
  const work = async (session: Session, index: number): Promise<void> => {
    for (let edit = index; edit < edits; edit += sessionCount) {
      owners.set(`f${edit}.txt`, session.id);
      await runTurn(session, `echo ${edit} > f${edit}.txt`);
    }
    await session.compareFiles();
  };
  const sessions = await Promise.all(
    Array.from({ length: sessionCount }, () =>
      runtime.start({ agent: "shell", workspace: repository.folder, ...(isolated && { isolated }) }),
    ),
  );
  await Promise.all(sessions.map(work));
  for (const session of sessions) await session.compareFiles();
  const seen = new Map<string, { readonly session: string; readonly isKnown: boolean }[]>();
  for (const { id } of sessions) {
    for await (const { body } of runtime.events(id, 0)) {
      if (body.type !== "file.changed") continue;
      const name = basename(body.path);
      seen.set(name, [...(seen.get(name) ?? []), { session: id, isKnown: body.attribution !== "unknown" }]);
    }
  }
  for (const session of sessions) await session.end();
  const counts = { edits, right: 0, unknown: 0, wrong: 0, missed: 0 };
  for (const [name, owner] of owners) {
    const records = seen.get(name) ?? [];
    const known = records.filter(({ isKnown }) => isKnown);
    if (known.some(({ session }) => session !== owner)) counts.wrong += 1;
    else if (known.length > 0) counts.right += 1;
    else counts[records.length > 0 ? "unknown" : "missed"] += 1;
  }
  return counts;
}

/** Attributes changes as if no other session could have made them. */
function ignoreOtherSessions(): Disposable {
  // oxlint-disable-next-line typescript/unbound-method -- it is restored below
  const { wasOtherBusy } = WorkspaceActivity.prototype;
  WorkspaceActivity.prototype.wasOtherBusy = () => false;
  return { [Symbol.dispose]: () => void (WorkspaceActivity.prototype.wasOtherBusy = wasOtherBusy) };
}

async function runTurn(session: Session, command: string): Promise<void> {
  const after = session.lastSequence;
  await session.send(command);
  for await (const one of session.stream(after)) if ("body" in one && one.body.type === "turn.ended") return;
}

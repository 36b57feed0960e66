import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempDisposableSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { AgentEvent, EventDraft } from "@fairlead/contract";
import { initialSessionState, type SessionState } from "@fairlead/reducer";
import { expect, test } from "vitest";
import { FileObserver, type ObservedSession } from "./file-observer.ts";
import { readTurnTrees } from "./turn-trees.ts";
import { WorkspaceActivity } from "./workspace-activity.ts";

/** An observed folder, and events that are kept back until they are handed over. */
class ObservedFolder implements AsyncDisposable {
  readonly #folder = mkdtempDisposableSync(join(realpathSync(tmpdir()), "turn-starts-"));
  readonly #observer: FileObserver;
  readonly #turnsFile = join(this.#folder.path, "turns.jsonl");
  readonly #workspace = join(this.#folder.path, "w");
  #events: EventDraft[] = [];

  constructor() {
    mkdirSync(this.#workspace);
    const opening = { session: "s", workspace: this.#workspace } as SessionState["opening"];
    const session: { state: SessionState; submitNote: ObservedSession["submitNote"] } = {
      state: { ...initialSessionState, opening },
      submitNote: async ({ tree, root }) => {
        session.state = { ...session.state, files: { ...session.state.files, tree, root } as SessionState["files"] };
      },
    };
    this.#observer = new FileObserver(session, {
      activity: new WorkspaceActivity(),
      turnsFile: this.#turnsFile,
      folder: join(this.#folder.path, "i"),
      excluded: this.#folder.path,
    });
  }

  /** Adds an event that happens now. */
  happen(body: Partial<AgentEvent>): void {
    this.#events.push({ body, occurredAt: new Date().toISOString() } as EventDraft);
  }

  /** Changes files, or removes those without a text. The clock of files may be behind by some milliseconds. */
  async change(files: Readonly<Record<string, string | null>>): Promise<void> {
    await wait(30);
    for (const [name, text] of Object.entries(files)) {
      const file = join(this.#workspace, name);
      mkdirSync(join(file, ".."), { recursive: true });
      if (text === null) rmSync(file);
      else writeFileSync(file, text);
    }
    await wait(30);
  }

  /** Hands the events over, and compares the folder. */
  async compare(): Promise<void> {
    this.#observer.notice(this.#events.splice(0), 1);
    await this.#observer.settled();
  }

  async compareWithoutEvents(): Promise<void> {
    await this.#observer.flush();
  }

  /** Lists what changed in a turn, as git prints it. */
  async changesOf(turn: string): Promise<string[]> {
    await this.compareWithoutEvents();
    const { start = "", end = "" } = await readTurnTrees(this.#turnsFile, turn);
    const args = [`--git-dir=${this.#folder.path}/i/git`, "diff-tree", "-r", "--name-status", start, end];
    const list = execFileSync("git", args, { encoding: "utf8" });
    return list.trim().replaceAll("\t", " ").split("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#observer[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}

/** A turn in which the agent changes files. */
async function runTurn(
  folder: ObservedFolder,
  turn: string,
  files: Readonly<Record<string, string | null>>,
): Promise<void> {
  folder.happen({ type: "turn.started", turn });
  folder.happen({ type: "tool.requested", call: `${turn}-call` });
  await folder.change(files);
  folder.happen({ type: "tool.ended", call: `${turn}-call` });
  folder.happen({ type: "turn.ended", turn });
}

test("what a person changes before and after a turn is no part of it, however late the folder is compared", async () => {
  await using folder = new ObservedFolder();
  folder.happen({ type: "session.started" });
  await folder.change({ "agent/old.txt": "old", "person/old.txt": "old", "person/other.txt": "other" });
  await folder.compare();
  await folder.change({ "person/before.txt": "before", "person/other.txt": "changed" });
  await runTurn(folder, "one", { "agent/one.txt": "one", "agent/old.txt": null });
  await folder.change({ "person/after.txt": "after", "person/old.txt": null });
  await folder.compare();
  expect(await folder.changesOf("one")).toEqual(["D agent/old.txt", "A agent/one.txt"]);
});

test("the changes of turns are told apart if no comparison divides them, also those of the first comparison", async () => {
  await using folder = new ObservedFolder();
  folder.happen({ type: "session.started" });
  await runTurn(folder, "one", { "one.txt": "one", "both.txt": "one" });
  await runTurn(folder, "two", { "two.txt": "two", "both.txt": "two" });
  await folder.compare();
  // What a file had between two changes was never read, so both count for the later one.
  expect(await folder.changesOf("one")).toEqual(["A one.txt"]);
  expect(await folder.changesOf("two")).toEqual(["A both.txt", "A two.txt"]);
});

test("a turn has its own changes if its events come after a comparison that has read them", async () => {
  await using folder = new ObservedFolder();
  folder.happen({ type: "session.started" });
  await folder.compare();
  await folder.change({ "before.txt": "before" });
  await runTurn(folder, "one", { "one.txt": "one" });
  await folder.change({ "after.txt": "after" });
  await folder.compareWithoutEvents();
  await folder.compare();
  expect(await folder.changesOf("one")).toEqual(["A one.txt"]);
});

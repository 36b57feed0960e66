import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { adapters } from "@fairlead/adapters";
import { ScenarioRun } from "@fairlead/conformance";
import type { Adapter, Continuation } from "@fairlead/contract";
import { testBenches } from "@fairlead/lab";
import { CountingObjects } from "@fairlead/testing/runtime/counting-objects.ts";
import { expect, test } from "vitest";
import { locateMemory } from "../packages/runtime/src/memory/locate-memory.ts";
import { restoreMemory } from "../packages/runtime/src/memory/restore-memory.ts";
import { saveMemory } from "../packages/runtime/src/memory/save-memory.ts";
import type { StoredMemory } from "../packages/runtime/src/memory/stored-memory.ts";

const fact = "The word is heliotrope.";
const agents = ["claude-code", "codex", "codex-exec", "amp", "openai-api", "scripted"];

interface LostHost {
  readonly continues: Continuation;
  readonly stored: StoredMemory;
}

/** Two hosts, one after the other, that have only the workspace and the object store in common. */
class Hosts implements AsyncDisposable {
  readonly objects = new CountingObjects();
  readonly #adapter: Adapter;
  readonly #folder = mkdtempSync(join(tmpdir(), "fl-hosts-"));
  readonly #resources = new AsyncDisposableStack();
  #count = 0;

  constructor(agent: string) {
    this.#adapter = adapters.find(({ manifest }) => manifest.id === agent)!;
    this.#resources.defer(() => rmSync(this.#folder, { recursive: true, force: true }));
  }

  async open(): Promise<{ readonly run: ScenarioRun; readonly own: string }> {
    const own = join(this.#folder, `host-${++this.#count}`);
    const bench = this.#resources.use(await testBenches[this.#adapter.manifest.id]!(join(own, "lab")));
    const run = this.#resources.use(await ScenarioRun.open(this.#adapter, bench, this.#folder));
    return { run, own };
  }

  /** Says a fact on a host, stores the agent's memory at the end of the turn, and loses all that the host has. */
  async loseHost({ fork = false, unfinished = "" } = {}): Promise<LostHost> {
    const { run, own } = await this.open();
    await run.start();
    await runTurn(run, fact);
    if (fork) {
      await run.fork();
      await runTurn(run, "In the fork.");
    }
    const { session } = run;
    const memory = locateMemory(this.#adapter, session.state, run.bench.environment)!;
    const save = (): Promise<StoredMemory> =>
      saveMemory({ objects: this.objects, session: "s", memory, before: null, epoch: 1, present: new Set() });
    for (const { path } of unfinished === "" ? [] : (await save()).files)
      appendFileSync(join(memory.root, memory.folder, path), unfinished);
    const stored = await save();
    const { agentSessionId } = session.state;
    await run[Symbol.asyncDispose]();
    for (const path of [own, join(this.#folder, "home")]) rmSync(path, { recursive: true });
    return { continues: { session: session.id, agentSessionId, outcome: "native" }, stored };
  }

  /** Opens another host, restores the memory there if `stored` is given, and continues the conversation. */
  async continueElsewhere(continues: Continuation, stored: StoredMemory | null): Promise<ScenarioRun> {
    const { run } = await this.open();
    // Not from the lost host: the opening of a session that has not begun.
    const opening = { workspace: run.workspace } as never;
    const state = { opening, agentSessionId: continues.agentSessionId };
    const memory = locateMemory(this.#adapter, state, run.bench.environment)!;
    if (stored !== null) {
      for (const { path } of stored.files) {
        // What this host has of the conversation from another time must not confuse the agent.
        const place = join(memory.root, memory.folder, path);
        mkdirSync(dirname(place), { recursive: true });
        writeFileSync(place, "{}\n");
      }
      await restoreMemory({ objects: this.objects, session: "s", memory, stored });
      const names = readdirSync(memory.root, { recursive: true }).map(String);
      expect(names.filter((name) => name.endsWith(".before-move"))).toHaveLength(stored.files.length);
    }
    await run.start({ continues });
    return run;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources[Symbol.asyncDispose]();
  }
}

async function runTurn(run: ScenarioRun, text: string): Promise<void> {
  const before = run.eventsOfType("turn.ended").length;
  await run.runSteps({ text });
  expect((await run.waitForEvent("turn.ended", before + 1)).outcome).toBe("completed");
}

async function expectMemory(run: ScenarioRun): Promise<void> {
  await runTurn(run, "And on.");
  expect(run.eventsOfType("session.resumed").map(({ outcome }) => outcome)).toEqual(["native"]);
  expect(run.eventsOfType("error.raised")).toEqual([]);
  expect(await run.bench.readModelContext?.()).toContain(fact);
}

test.each(agents)("%s remembers on another host what it was told on a lost one", async (agent) => {
  await using hosts = new Hosts(agent);
  const { continues, stored } = await hosts.loseHost();
  expect(stored).toMatchObject({ outcome: "stored", files: [{}] });
  await expectMemory(await hosts.continueElsewhere(continues, stored));
});

test.each(agents)("%s does not remember without the stored memory", async (agent) => {
  await using hosts = new Hosts(agent);
  const { continues } = await hosts.loseHost();
  const run = await hosts.continueElsewhere(continues, null);
  await run.runSteps({ text: "And on." }).catch(() => {}); // the session may have ended already
  expect((await run.waitForEvent("error.raised")).category).toBe("session-not-found");
});

test.each(["claude-code", "codex", "codex-exec"])("%s remembers if the next turn had begun to write", async (agent) => {
  await using hosts = new Hosts(agent);
  const { continues, stored } = await hosts.loseHost({
    unfinished: '{"timestamp":"2026-11-19T02:26:38.278Z","type":"resp',
  });
  await expectMemory(await hosts.continueElsewhere(continues, stored));
});

test("Claude Code remembers on another host what was said before a fork", async () => {
  await using hosts = new Hosts("claude-code");
  const { continues, stored } = await hosts.loseHost({ fork: true });
  await expectMemory(await hosts.continueElsewhere(continues, stored));
});

test("a fork of Codex is not stored, because it needs the transcript of the forked conversation", async () => {
  await using hosts = new Hosts("codex");
  const { stored } = await hosts.loseHost({ fork: true });
  expect(stored).toEqual({ outcome: "needs-others", files: [] });
});

test.each(["claude-code", "codex"])("%s has written its memory when it reports the end of a turn", async (agent) => {
  await using hosts = new Hosts(agent);
  const { run } = await hosts.open();
  const adapter = adapters.find(({ manifest }) => manifest.id === agent)!;
  await run.start();
  for (let turn = 1; turn <= 5; turn++) {
    await runTurn(run, `${fact} ${turn}`);
    const memory = locateMemory(adapter, run.session.state, run.bench.environment)!;
    const save = (): Promise<StoredMemory> =>
      saveMemory({ objects: hosts.objects, session: "s", memory, before: null, epoch: 1, present: new Set() });
    const atEnd = await save();
    await wait(1000);
    expect(await save()).toEqual(atEnd);
  }
});

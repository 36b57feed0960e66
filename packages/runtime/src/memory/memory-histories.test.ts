import { randomBytes } from "node:crypto";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentMemory } from "@fairlead/contract";
import { CountingObjects } from "@fairlead/testing/runtime/counting-objects.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { BlockStore } from "./block-store.ts";
import { restoreMemory } from "./restore-memory.ts";
import { removeReplacedBlocks, saveMemory } from "./save-memory.ts";
import { blockBytes, listBlocks, type StoredMemory } from "./stored-memory.ts";

const session = "s";
const names = ["a", "b"] as const;
const createMemory = (root: string): AgentMemory => ({ root, folder: "", files: [{ folder: "", name: /^[ab]$/ }] });

const file = fc.constantFrom(...names);
/** Sizes around that of a block, and small ones. */
const size = fc.oneof(
  fc.integer({ min: 0, max: 100 }),
  fc.integer({ min: -1, max: 1 }).map((more) => blockBytes + more),
  fc.integer({ min: 0, max: 2 * blockBytes }),
);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("append" as const), file, size }) },
  fc.record({ do: fc.constant("rewrite" as const), file, size }),
  fc.record({ do: fc.constant("insert" as const), file, size: fc.integer({ min: 1, max: 1000 }), at: fc.nat(100) }),
  fc.record({ do: fc.constant("truncate" as const), file, at: fc.nat(100) }),
  fc.record({ do: fc.constant("remove" as const), file }),
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("save" as const),
      crash: fc.constantFrom("never", "while storing", "before the manifest", "before the removal", "in the removal"),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

class Crash extends Error {}

/** Fails after a number of calls, as a process that ends would. */
class CrashingObjects extends CountingObjects {
  callsLeft = Infinity;

  override async put(key: string, bytes: Uint8Array): Promise<void> {
    if (this.callsLeft-- <= 0) throw new Crash();
    await super.put(key, bytes);
  }

  override async remove(key: string): Promise<void> {
    if (this.callsLeft-- <= 0) throw new Crash();
    await super.remove(key);
  }
}

/** The hosts of a session, one after the other, with the last manifest that was stored and the files at that time. */
class Machine implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "fl-history-"));
  readonly objects = new CrashingObjects();
  /** After a crash, the next owner reads what the object store has. */
  #owner = { epoch: 1, present: new Set<string>() };
  #manifest: StoredMemory | null = null;
  #saved = new Map<string, Buffer>();

  async run(one: Step): Promise<void> {
    if (one.do === "save") {
      await this.#save(one.crash).catch(ignoreCrash);
      if (one.crash !== "never") await this.#replaceOwner();
      return;
    }
    const path = join(this.folder, one.file);
    if (one.do === "append") appendFileSync(path, randomBytes(one.size));
    else if (one.do === "rewrite") writeFileSync(path, randomBytes(one.size));
    else if (one.do === "remove") rmSync(path, { force: true });
    else {
      const content = this.#read().get(one.file);
      if (content === undefined) return;
      const position = Math.floor((content.length * one.at) / 100);
      if (one.do === "truncate") truncateSync(path, position);
      else
        writeFileSync(
          path,
          Buffer.concat([content.subarray(0, position), randomBytes(one.size), content.subarray(position)]),
        );
    }
  }

  /** Checks that another host can restore the last manifest, and gets the files as they were. */
  async check(): Promise<void> {
    if (this.#manifest?.outcome !== "stored") return;
    const target = mkdtempSync(join(tmpdir(), "fl-history-"));
    await restoreMemory({ objects: this.objects, session, memory: createMemory(target), stored: this.#manifest });
    for (const [name, content] of this.#saved) expect(readFileSync(join(target, name)).equals(content)).toBe(true);
    expect(this.#manifest.files.map(({ path }) => path)).toEqual([...this.#saved.keys()]);
    rmSync(target, { recursive: true });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }

  async #save(crash: string): Promise<void> {
    const { objects } = this;
    const before = this.#manifest;
    try {
      if (crash === "while storing") objects.callsLeft = 1;
      const stored = await saveMemory({ objects, session, memory: createMemory(this.folder), before, ...this.#owner });
      if (crash === "before the manifest") return;
      this.#manifest = stored;
      this.#saved = this.#read();
      if (crash === "before the removal") return;
      if (crash === "in the removal") objects.callsLeft = 1;
      await removeReplacedBlocks({ objects, session, ...this.#owner }, stored);
      const expected = [...listBlocks(stored)].toSorted();
      expect(await this.#listBlocks()).toEqual(expected);
    } finally {
      objects.callsLeft = Infinity;
    }
  }

  async #replaceOwner(): Promise<void> {
    this.#owner = { epoch: this.#owner.epoch + 1, present: new Set(await this.#listBlocks()) };
  }

  async #listBlocks(): Promise<string[]> {
    return [...(await new BlockStore(this.objects, session).list())].toSorted();
  }

  #read(): Map<string, Buffer> {
    const present = names.filter((name) => statSync(join(this.folder, name), { throwIfNoEntry: false }));
    return new Map(present.map((name) => [name, readFileSync(join(this.folder, name))]));
  }
}

function ignoreCrash(error: unknown): void {
  if (!(error instanceof Crash)) throw error;
}

test("the last manifest can be restored after any changes, saves and crashes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      using machine = new Machine();
      for (const one of steps) {
        await machine.run(one);
        await machine.check();
      }
    }),
    { numRuns: 60 },
  );
});

import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FairleadError, type Adapter, type EventDraft, type Opening } from "@fairlead/contract";
import { initialSessionState } from "@fairlead/reducer";
import { CountingObjects } from "@fairlead/testing/runtime/counting-objects.ts";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { locateMemory } from "../memory/locate-memory.ts";
import { restoreMemory } from "../memory/restore-memory.ts";
import { blockBytes } from "../memory/stored-memory.ts";
import { ImageWriter, type ImageState, type ImageWriterOptions } from "./image-writer.ts";
import { readImage, type SessionImage } from "./session-image.ts";

const folder = mkdtempSync(join(tmpdir(), "fl-image-"));
afterAll(() => rmSync(folder, { recursive: true }));

const session = "s";
const adapter = {
  memory: (_opening: Opening, id: string, { ROOT = "" }: { ROOT?: string }) => ({
    root: ROOT,
    folder: "",
    files: [{ folder: "", name: `${id}.jsonl` }],
  }),
} as unknown as Adapter;
const state = { ...initialSessionState, opening: {} as Opening, agentSessionId: "id" };

/** An object store in which calls can be held, as those of a process that is paused. */
class HoldingObjects extends CountingObjects {
  #held: { readonly key: RegExp; readonly call: "put" | "remove"; readonly reach: () => void } | null = null;
  #released: Promise<void> = Promise.resolve();

  /** Holds the next call for a key. Returns when it is reached, and what releases it. */
  hold(call: "put" | "remove", key: RegExp): { readonly reached: Promise<void>; readonly release: () => void } {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.#held = { call, key, reach: reached.resolve };
    this.#released = released.promise;
    return { reached: reached.promise, release: released.resolve };
  }

  override async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.#wait("put", key);
    await super.put(key, bytes);
  }

  override async remove(key: string): Promise<void> {
    await this.#wait("remove", key);
    await super.remove(key);
  }

  async #wait(call: "put" | "remove", key: string): Promise<void> {
    if (this.#held?.call !== call || !this.#held.key.test(key)) return;
    this.#held.reach();
    this.#held = null;
    await this.#released;
  }
}

let objects: HoldingObjects;
let epoch: number;
let errors: unknown[];
const owners: Owner[] = [];
let count = 0;
beforeEach(() => {
  objects = new HoldingObjects();
  epoch = 0;
  errors = [];
});
afterEach(async () => {
  // Otherwise late writes of a test would end in the next one.
  for (const { writer } of owners.splice(0)) await writer[Symbol.asyncDispose]();
});

/** A process that has claimed the session, and the folder of its agent. */
class Owner {
  readonly root: string;
  readonly writer: ImageWriter;

  constructor(options: Partial<ImageWriterOptions> & { readonly root?: string } = {}) {
    epoch += 1;
    this.root = options.root ?? join(folder, `${count++}`);
    mkdirSync(this.root, { recursive: true });
    this.writer = new ImageWriter({
      objects,
      session,
      epoch,
      log: { tail: async () => ({ epoch, last: 0, fence: 0n, owner: "" }) },
      adapter,
      environment: { ROOT: this.root },
      onError: (error) => void errors.push(error),
      ...options,
    });
    owners.push(this);
  }

  /** Ends a turn after which the agent's memory has this content. */
  endTurn(lastSequence: number, content: Uint8Array | string): void {
    writeFileSync(join(this.root, "id.jsonl"), content);
    const image: ImageState = { upToSeq: lastSequence, lastSequence, state, rejections: [] };
    this.writer.notice([{ body: { type: "turn.ended", turn: `t${lastSequence}` } } as EventDraft], image);
  }

  async storeTurn(lastSequence: number, content: Uint8Array | string): Promise<void> {
    this.endTurn(lastSequence, content);
    await this.writer.writeNow();
  }

  /** Restores the newest image here. Returns it. */
  async restore(): Promise<SessionImage> {
    const image = (await readImage(objects, session, epoch))!;
    const memory = locateMemory(adapter, image.state, { ROOT: this.root })!;
    await restoreMemory({ objects, session, memory, stored: image.memory! });
    return image;
  }

  get content(): Buffer {
    return readFileSync(join(this.root, "id.jsonl"));
  }
}

const countKeys = (prefix: string): number => [...objects.stored.keys()].filter((key) => key.startsWith(prefix)).length;

test("a late write of the earlier owner neither replaces the image of the next one nor removes its blocks", async () => {
  const first = randomBytes(blockBytes);
  const one = new Owner();
  await one.storeTurn(10, first);
  const held = objects.hold("put", /^images/);
  one.endTurn(20, "rewritten");
  await held.reached;
  const two = new Owner();
  await two.restore();
  const content = Buffer.concat([first, randomBytes(10)]);
  await two.storeTurn(30, content);
  held.release();
  await one.writer[Symbol.asyncDispose]();
  const three = new Owner();
  await expect(three.restore()).resolves.toMatchObject({ lastSequence: 30 });
  expect(three.content.equals(content)).toBe(true);
  // What the late write left goes with the next image.
  await three.storeTurn(40, content);
  expect([countKeys("images/"), countKeys("memory/")]).toEqual([1, 2]);
  expect(errors).toEqual([]);
});

test("a late removal of the earlier owner removes no block with the same content of the next one", async () => {
  const one = new Owner();
  await one.storeTurn(10, "[]");
  const held = objects.hold("remove", /^memory/);
  one.endTurn(20, "[1]");
  await held.reached;
  const two = new Owner();
  await expect(two.restore()).resolves.toMatchObject({ lastSequence: 20 });
  await two.storeTurn(30, "[]");
  held.release();
  await one.writer[Symbol.asyncDispose]();
  const three = new Owner();
  await expect(three.restore()).resolves.toMatchObject({ lastSequence: 30 });
  expect(three.content.toString()).toBe("[]");
});

test("a late image of the earlier owner can be restored if the next one has stored none", async () => {
  const one = new Owner();
  await one.storeTurn(10, "one");
  const held = objects.hold("put", /^images/);
  one.endTurn(20, "two");
  await held.reached;
  const two = new Owner();
  await expect(two.restore()).resolves.toMatchObject({ lastSequence: 10 });
  held.release();
  await one.writer[Symbol.asyncDispose]();
  const three = new Owner();
  await expect(three.restore()).resolves.toMatchObject({ lastSequence: 20 });
});

test("images of owners that the log does not know are not read", async () => {
  await new Owner().storeTurn(10, "one");
  await new Owner({ log: { tail: async () => ({ epoch: 1, last: 0, fence: 0n, owner: "" }) } }).storeTurn(20, "two");
  await expect(readImage(objects, session, 1)).resolves.toMatchObject({ lastSequence: 10 });
  await expect(readImage(objects, session, 0)).resolves.toBeNull();
});

test("after a restart only what has changed is stored, and what the earlier image needed is removed", async () => {
  const content = randomBytes(3.5 * blockBytes);
  const one = new Owner();
  await one.storeTurn(10, content);
  const two = new Owner({ root: one.root });
  objects.puts.length = 0;
  await two.storeTurn(20, Buffer.concat([content, Buffer.from("more")]));
  expect(objects.puts.map(({ key }) => key.split("/")[0])).toEqual(["memory", "images"]);
  expect([countKeys("images/"), countKeys("memory/")]).toEqual([1, 4]);
  await two.storeTurn(30, "rewritten");
  expect([countKeys("images/"), countKeys("memory/")]).toEqual([1, 1]);
});

test("a block that the object store has lost is stored again", async () => {
  const one = new Owner();
  await one.storeTurn(10, "words");
  for (const key of objects.stored.keys()) if (key.startsWith("memory/")) objects.stored.delete(key);
  await new Owner({ root: one.root }).storeTurn(20, "words");
  const two = new Owner();
  await two.restore();
  expect(two.content.toString()).toBe("words");
});

test("an image like the newest one is not stored again", async () => {
  const one = new Owner();
  await one.storeTurn(10, "words");
  objects.puts.length = 0;
  await one.writer.writeNow();
  expect(objects.puts).toEqual([]);
  writeFileSync(join(one.root, "id.jsonl"), "words that are late");
  await one.writer.writeNow();
  expect(objects.puts).toHaveLength(2);
});

test("a failure is reported once until a write succeeds, and names the session", async () => {
  let isAway = true;
  const assertNear = (): void => {
    if (isAway) throw new FairleadError("unavailable", "It is away.");
  };
  const put = objects.put.bind(objects);
  objects.put = async (key, bytes) => {
    assertNear();
    await put(key, bytes);
  };
  const snapshotWorkspace = async (): Promise<string> => {
    assertNear();
    return "commit";
  };
  const one = new Owner();
  const two = new Owner({ session: "other", adapter: {} as Adapter, snapshotWorkspace });
  let turn = 0;
  const endTurns = async (): Promise<void> => {
    for (const _ of [1, 2, 3]) {
      one.endTurn(++turn, `${turn}`);
      two.endTurn(turn, "");
      for (const { writer } of [one, two]) await writer[Symbol.asyncDispose]();
    }
  };
  const failures = [
    "The image could not be stored for session s: It is away.",
    "The workspace could not be stored for session other: It is away.",
    "The image could not be stored for session other: It is away.",
  ];
  await endTurns();
  expect(errors.map((error) => (error as Error).message).toSorted()).toEqual(failures.toSorted());
  expect(errors[0]).toMatchObject({ code: "unavailable" });
  isAway = false;
  await endTurns();
  expect(errors).toHaveLength(3);
  isAway = true;
  await endTurns();
  expect(errors).toHaveLength(6);
});

test("a write before the session leaves throws if the workspace cannot be stored, also of a turn before a restart", async () => {
  let isAway = true;
  const turns: (string | null)[] = [];
  const snapshotWorkspace = async (_: Opening, turn: string | null): Promise<string> => {
    turns.push(turn);
    if (isAway) throw new FairleadError("timed-out", "It took too long.");
    return "commit";
  };
  const one = new Owner({ snapshotWorkspace });
  one.endTurn(10, "words");
  const failure = { code: "timed-out", message: "The workspace could not be stored for session s: It took too long." };
  await expect(one.writer.writeNow()).rejects.toMatchObject(failure);
  expect(errors).toMatchObject([failure]);
  const two = new Owner({ root: one.root, snapshotWorkspace });
  const image: ImageState = { upToSeq: 11, lastSequence: 11, state: { ...state, isNew: false }, rejections: [] };
  const pause = { body: { type: "session.paused", reason: "moved" } } as EventDraft;
  two.writer.notice([pause], image);
  await expect(two.writer.writeNow()).rejects.toMatchObject(failure);
  isAway = false;
  await two.writer.writeNow();
  await expect(two.restore()).resolves.toMatchObject({ commit: "commit" });
  expect(turns).toEqual(["t10", "t10", null, null]);
  const fresh = new Owner({ root: one.root, snapshotWorkspace });
  fresh.writer.notice([pause], { ...image, state: { ...state, isNew: true } });
  await fresh.writer.writeNow();
  expect(turns).toHaveLength(4);
});

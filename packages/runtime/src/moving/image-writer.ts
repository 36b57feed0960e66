import { FairleadError, type Adapter, type Delta, type EventDraft, type Opening } from "@fairlead/contract";
import type { ObjectStore } from "@fairlead/engine";
import type { EventLog } from "@fairlead/journal";
import { isEvent } from "../actor/journal-writer.ts";
import type { Environment } from "../host/child-environment.ts";
import { BlockStore, digestBlock } from "../memory/block-store.ts";
import { locateMemory } from "../memory/locate-memory.ts";
import { removeReplacedBlocks, saveMemory } from "../memory/save-memory.ts";
import { listBlocks, type StoredMemory } from "../memory/stored-memory.ts";
import { encodeImage, imageKey, readImage, removeOlderImages, type SessionImage } from "./session-image.ts";

/** A state of the session that an image is to have. */
export type ImageState = Pick<SessionImage, "upToSeq" | "lastSequence" | "state" | "rejections">;

export interface ImageWriterOptions {
  readonly objects: ObjectStore;
  readonly session: string;
  /** The epoch of the claim under which this process drives the session. */
  readonly epoch: number;
  readonly log: Pick<EventLog, "tail">;
  readonly adapter: Adapter;
  readonly environment: Environment;
  /** Commits the session's workspace, if the session has a repository. Returns the commit. The turn is null if it is unknown. */
  readonly snapshotWorkspace?: (opening: Opening, turn: string | null) => Promise<string | null>;
  /** Receives the first of several errors of the same kind. The next turn's end writes again. Must not throw. */
  readonly onError: (error: unknown) => void;
}

/** Milliseconds after which the agent's memory is stored again: some agents write it after they report the end of a turn. */
const lateMemoryDelays = [500, 2000];

const imageFailure = "image could not be stored";
const snapshotFailure = "workspace could not be stored";
const removalFailure = "replaced image could not be removed";

/**
 * Writes an image of a session at the end of each turn, so that another host can continue it. Only the newest state is
 * written: a session whose turns are short does not wait for the object store.
 */
export class ImageWriter implements AsyncDisposable {
  readonly #options: ImageWriterOptions;
  #pending: ImageState | null = null;
  #newest: ImageState | null = null;
  /** The agent's memory that the newest image has, and the blocks that the object store has. Null before the first write. */
  #stored: { memory: StoredMemory | null; readonly blocks: Set<string> } | null = null;
  /** The digest of the image that this process stored last. */
  #imageDigest: string | null = null;
  #hasRemovedOlderImages = false;
  #commit: string | null = null;
  /** The last turn that has ended. */
  #turn: string | null = null;
  /** The turn after which the workspace was committed. */
  #committedTurn: string | null = null;
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;
  #timers: NodeJS.Timeout[] = [];
  /** What failed the last time. */
  readonly #failing = new Set<string>();

  constructor(options: ImageWriterOptions) {
    this.#options = options;
  }

  /** Writes an image if a turn has ended, or the session has paused. */
  notice(outputs: readonly (EventDraft | Delta)[], state: ImageState): void {
    let isDue = false;
    for (const output of outputs) {
      if (!isEvent(output)) continue;
      const { body } = output;
      if (body.type === "turn.ended") this.#turn = body.turn;
      if (body.type === "turn.ended" || body.type === "session.paused") isDue = true;
      // What the next turn does belongs to no image before its end.
      if (body.type === "turn.started") this.#stopTimers();
    }
    if (!isDue) return;
    this.#stopTimers();
    this.#schedule(state);
    if (this.#options.adapter.memory === undefined) return;
    this.#timers = lateMemoryDelays.map((delay) => setTimeout(() => this.#schedule(state), delay).unref());
  }

  /**
   * Writes the newest state again, with what the agent and the workspace have now, so that the session can leave this host. Throws if
   * it could not be stored.
   */
  async writeNow(): Promise<void> {
    this.#stopTimers();
    const written = this.#writing.then(async () => {
      if (this.#newest !== null) await this.#write(this.#newest, { isLeaving: true });
    });
    // Writes must not overlap: one would remove blocks that the other is about to need.
    this.#writing = written.catch(() => {});
    await written;
  }

  /** Resolves when the image of the last turn is stored, or could not be. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopTimers();
    await this.#writing;
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
  }

  #schedule(state: ImageState): void {
    this.#pending = this.#newest = state;
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#writing = this.#writing.then(() => this.#writePending());
  }

  async #writePending(): Promise<void> {
    for (let state = this.#pending; state !== null; state = this.#pending) {
      this.#pending = null;
      await this.#write(state).catch((error: unknown) => this.#report(imageFailure, error));
    }
    this.#isWriting = false;
  }

  async #write(image: ImageState, { isLeaving = false } = {}): Promise<void> {
    const { objects, session, epoch, adapter, environment } = this.#options;
    const stored = (this.#stored ??= await this.#readStored());
    const memory = locateMemory(adapter, image.state, environment);
    const { memory: before, blocks: present } = stored;
    const saved = memory && (await saveMemory({ objects, session, epoch, memory, before, present }));
    await this.#snapshotWorkspace(image, isLeaving);
    const encoded = encodeImage({ ...image, memory: saved, commit: this.#commit });
    const digest = digestBlock(encoded);
    if (digest !== this.#imageDigest) await objects.put(imageKey(session, epoch), encoded);
    this.#imageDigest = digest;
    stored.memory = saved;
    this.#failing.delete(imageFailure);
    await this.#removeReplaced(stored).catch((error: unknown) => this.#report(removalFailure, error));
  }

  /** Reads what an earlier process has stored, so that the first save stores only what has changed since then. */
  async #readStored(): Promise<{ memory: StoredMemory | null; blocks: Set<string> }> {
    const { objects, session, epoch } = this.#options;
    const image = await readImage(objects, session, epoch).catch((error: unknown) => {
      if (FairleadError.is(error, "unavailable")) throw error;
      return null; // damaged: this process stores another one
    });
    const blocks = await new BlockStore(objects, session).list();
    this.#commit = image?.commit ?? null;
    return { memory: image?.memory ?? null, blocks };
  }

  /**
   * Commits the workspace after a turn. Without its newest tree a lost session can still continue, with the one before. One that
   * leaves has a host with its files, and must not lose them.
   */
  async #snapshotWorkspace({ state: { opening, isNew } }: ImageState, isLeaving: boolean): Promise<void> {
    const { snapshotWorkspace } = this.#options;
    const turn = this.#turn;
    // The process or the claim before this one may not have stored the tree of its last turn.
    const isDue = turn === null ? isLeaving && !isNew : turn !== this.#committedTurn;
    if (snapshotWorkspace === undefined || opening === null || !isDue) return;
    try {
      const commit = await snapshotWorkspace(opening, turn);
      if (commit !== null) [this.#commit, this.#committedTurn] = [commit, turn];
      this.#failing.delete(snapshotFailure);
    } catch (error) {
      if (isLeaving) throw this.#explain(snapshotFailure, error);
      this.#report(snapshotFailure, error);
    }
  }

  /** Removes the blocks and images that the newest image replaces, also those of earlier owners. */
  async #removeReplaced({
    memory,
    blocks: present,
  }: {
    memory: StoredMemory | null;
    blocks: Set<string>;
  }): Promise<void> {
    const { objects, session, epoch, log } = this.#options;
    if (this.#hasRemovedOlderImages && present.isSubsetOf(listBlocks(memory))) return;
    // After the image is stored: an owner that claims the session after this check reads that image. One that claimed it
    // before may continue with an earlier image, whose blocks are not to be removed.
    if ((await log.tail(session)).epoch !== epoch) return;
    await removeReplacedBlocks({ objects, session, present }, memory);
    if (!this.#hasRemovedOlderImages) await removeOlderImages(objects, session, epoch);
    this.#hasRemovedOlderImages = true;
    this.#failing.delete(removalFailure);
  }

  /** Reports a failure, unless it is the same as the last time: a store that is away fails at the end of each turn. */
  #report(failure: string, cause: unknown): void {
    if (this.#failing.has(failure)) return;
    this.#failing.add(failure);
    this.#options.onError(this.#explain(failure, cause));
  }

  #explain(failure: string, cause: unknown): FairleadError {
    const code = FairleadError.isInstance(cause) ? cause.code : "unavailable";
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new FairleadError(code, `The ${failure} for session ${this.#options.session}: ${reason}`, { cause });
  }
}

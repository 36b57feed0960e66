import { randomBytes } from "node:crypto";
import { FairleadError } from "@fairlead/contract";
import { assertFollowsTail, isClaim, type Claim, type EventBatch, type Fence } from "@fairlead/journal";
import { ClaimAnnouncements } from "./claim-announcements.ts";
import { chainStart, frameOverhead, isOwnerStorable, type FrameLink, type LogFrame } from "./frame.ts";
import { encodeFrameData, type EncodedData } from "./frame-data.ts";
import { LiveEnd } from "./live-end.ts";
import { fenceSequence, linkToFence } from "./log-fence.ts";
import { endAfter, readSessionEnd, unclaimedEnd, type SessionEnd } from "./session-end.ts";
import { SessionEnds } from "./session-ends.ts";
import { SessionQueue } from "./session-queue.ts";
import { OvertakenError, storeFrame } from "./store-frame.ts";
import { createUnavailableError } from "./stored-message.ts";
import type { StreamStore } from "./stream-store.ts";

// The default limit of a server for a message, with its headers.
const maxMessageBytes = 1 << 20;
// Room for the headers of a message.
const headerBytes = 1_024;

type BatchFrame = Omit<LogFrame, "base" | "nonce" | "partIndex" | "previousPart">;

/** Writes the frames of sessions, one message in flight per session. */
export class SessionWriter {
  readonly #store: StreamStore;
  readonly #queue = new SessionQueue();
  readonly #ends = new SessionEnds();
  readonly #announcements: ClaimAnnouncements;
  /** By session: the random numbers of appends that were never decided. Their messages may arrive at the servers later. */
  readonly #undecided = new Map<string, Set<bigint>>();

  constructor(store: StreamStore) {
    this.#store = store;
    this.#announcements = new ClaimAnnouncements(store);
  }

  async append(batch: EventBatch, fence: Fence): Promise<Fence> {
    this.#assertStorable(batch.owner);
    const { session, epoch, first, events, notes = [], owner } = batch;
    // The bytes are copied before the first wait, so that the caller may reuse its buffers.
    const encoded = encodeFrameData([...events, ...notes]);
    const kind = isClaim(batch) ? "claim" : "batch";
    const fields = { kind, epoch, first, count: events.length, noteCount: notes.length, owner, ...encoded } as const;
    this.#announcements.listen();
    return await this.#queue.run(session, async () => {
      await this.#announcements.giveWay(session);
      const deadline = performance.now() + this.#store.timeout;
      let end = this.#ends.get(session);
      // An end that this log does not know yet may have the fence. An older fence is invalid in any case.
      if (end === undefined || fenceSequence(fence) > end.base.sequence) end = await this.#readEnd(session);
      while (true) {
        this.#assertNotStoredSince(session, end, fence);
        assertFollowsTail(end.tail, batch, fence);
        try {
          return linkToFence(await this.#storeBatch(session, fields, end, deadline));
        } catch (error) {
          if (!(error instanceof OvertakenError)) throw error;
          if (performance.now() > deadline) throw createUnavailableError("append", error);
          // The message in its place may be a part that has no effect. Then the batch still follows the tail.
          end = await this.#readEnd(session);
        }
      }
    });
  }

  async claim(session: string, owner: string): Promise<Claim> {
    this.#assertStorable(owner);
    return await this.#queue.run(session, async () => {
      const deadline = performance.now() + this.#store.timeout;
      using live = new LiveEnd(this.#store, session);
      let end = await this.#readEnd(session);
      // A session that was never claimed has no owner that could wait.
      if (end.tail.epoch > 0) this.#announcements.announce(session);
      while (true) {
        const { epoch, last } = end.tail;
        const numbers = { epoch: epoch + 1, first: last + 1, count: 0, noteCount: 0 };
        try {
          const base = await this.#storeBatch(session, { kind: "claim", ...numbers, owner, ...noData }, end, deadline);
          return { epoch: epoch + 1, last, fence: linkToFence(base) };
        } catch (error) {
          if (!(error instanceof OvertakenError)) throw error;
          end = await live.next(end, error.last);
        }
      }
    });
  }

  /** Ends a session's history and removes its messages. */
  async forget(session: string, fence: Fence | "damaged"): Promise<void> {
    await this.#queue.run(session, async () => {
      const deadline = performance.now() + this.#store.timeout;
      this.#ends.delete(session);
      while (true) {
        const end = fence === "damaged" ? await this.#readDamagedEnd(session) : await this.#readEnd(session);
        if (fence !== "damaged" && end.tail.fence !== fence)
          throwNotForgotten(session, "another writer has appended since");
        if (end.isForgotten || end.head === 0) return await this.#store.purge(session, end.head);
        try {
          // This message and an append of the owner expect the same message before them, so only one of them is stored.
          const content = { ...forgetContent, base: end.base, nonce: createNonce() };
          const { sequence } = await storeFrame(this.#store, session, content, { expected: end.head, deadline });
          return await this.#store.purge(session, sequence);
        } catch (error) {
          if (!(error instanceof OvertakenError)) throw error;
          if (performance.now() > deadline) throw createUnavailableError("remove a session", error);
        }
      }
    });
  }

  /** Resolves when no append is in flight. */
  async whenIdle(): Promise<void> {
    await this.#queue.whenIdle();
  }

  async #readEnd(session: string): Promise<SessionEnd> {
    return await readSessionEnd(this.#store, session);
  }

  /** Removes what an interrupted `forget` left, because readers of the new history would read it too. */
  async #clear(session: string, end: SessionEnd): Promise<SessionEnd> {
    if (!end.isForgotten) return end;
    await this.#store.purge(session, end.head);
    return unclaimedEnd;
  }

  /** Stores a batch and remembers the end after it, or that it is not known whether the batch was stored. */
  async #storeBatch(session: string, batch: BatchFrame, end: SessionEnd, deadline: number): Promise<FrameLink> {
    const frame = { ...batch, nonce: createNonce() };
    try {
      const base = await this.#storeParts(session, frame, await this.#clear(session, end), deadline);
      this.#ends.set(session, endAfter(frame, base, base.sequence));
      this.#undecided.delete(session);
      return base;
    } catch (error) {
      this.#ends.delete(session);
      if (!(error instanceof OvertakenError)) this.#addUndecided(session, frame.nonce);
      throw error;
    }
  }

  /**
   * Throws `unavailable` if an append that was not decided has been stored meanwhile: a client that has lost its
   * connection keeps messages and sends them later. The owner is not fenced, it has to read the tail once more.
   */
  #assertNotStoredSince(session: string, { nonce, tail }: SessionEnd, fence: Fence): void {
    if (fence === tail.fence || this.#undecided.get(session)?.has(nonce) !== true) return;
    throw createUnavailableError("append", new Error("an earlier append, whose answer was lost, is stored"));
  }

  #addUndecided(session: string, nonce: bigint): void {
    const nonces = this.#undecided.get(session) ?? new Set();
    this.#undecided.set(session, nonces.add(nonce));
  }

  /** Stores a batch in as many messages as it needs. Only the last one makes it part of the history. */
  async #storeParts(
    session: string,
    batch: BatchFrame & { readonly nonce: bigint },
    { base, head }: SessionEnd,
    deadline: number,
  ): Promise<FrameLink> {
    const size = this.#partBytes(batch.owner);
    let previousPart: FrameLink = chainStart;
    let expected = head;
    for (let partIndex = 0, offset = 0; ; partIndex++, offset += size) {
      const isLast = offset + size >= batch.data.byteLength;
      const kind = isLast ? batch.kind : "part";
      const data = batch.data.subarray(offset, offset + size);
      // Each part expects the one before it, so no message of another writer can be between two parts.
      const frame: LogFrame = { ...batch, kind, data, base, partIndex, previousPart };
      const link = await storeFrame(this.#store, session, frame, { expected, deadline });
      if (isLast) return link;
      previousPart = link;
      expected = link.sequence;
    }
  }

  #partBytes(owner: string): number {
    const limit = Math.min(maxMessageBytes, this.#store.connection.info?.max_payload ?? maxMessageBytes);
    return limit - headerBytes - frameOverhead(owner);
  }

  #assertStorable(owner: string): void {
    if (!isOwnerStorable(owner)) {
      throw new FairleadError("invalid-request", "An owner's text may have at most 65535 bytes.");
    }
    // With no room for data in a message, a batch would have parts without an end.
    if (this.#partBytes(owner) >= 1) return;
    const reason = `it has ${Buffer.byteLength(owner)} bytes, and the servers accept less in a message`;
    throw new FairleadError("invalid-request", `The owner's text is too long: ${reason}. Raise \`max_payload\`.`);
  }

  /** Returns the end of a session whose last message cannot be read. Throws `fenced` if it can. */
  async #readDamagedEnd(session: string): Promise<SessionEnd> {
    try {
      await this.#readEnd(session);
    } catch (error) {
      if (!FairleadError.is(error, "corrupt")) throw error;
      const last = await this.#store.readLast(session);
      return { ...unclaimedEnd, head: last?.sequence ?? 0 };
    }
    throwNotForgotten(session, "its end can be read");
  }
}

const noData: EncodedData = { data: new Uint8Array(), isCompressed: false };

const forgetContent: Omit<LogFrame, "base" | "nonce"> = {
  ...noData,
  kind: "forget",
  epoch: 0,
  first: 1,
  count: 0,
  noteCount: 0,
  owner: "",
  partIndex: 0,
  previousPart: chainStart,
};

function createNonce(): bigint {
  return randomBytes(8).readBigUInt64BE();
}

function throwNotForgotten(session: string, reason: string): never {
  throw new FairleadError("fenced", `Session ${session} was not forgotten: ${reason}.`);
}

import { FairleadError } from "@fairlead/contract";
import type { EventBatch } from "@fairlead/journal";
import type { FrameAssembler } from "./frame-assembler.ts";
import { readSessionEnd } from "./session-end.ts";
import type { StoredMessage } from "./stored-message.ts";
import type { StreamStore } from "./stream-store.ts";

const pageSizes = { first: 16, max: 256 };

export interface ReadPageOptions {
  /** The maximum number of messages of the first page. */
  readonly firstPage?: number;
  readonly signal?: AbortSignal | undefined;
}

interface ReadRange {
  readonly head: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Reads the batches after an assembler's position up to the message `head`, which the leader has named. Replicas answer
 * most requests. If one lags behind or has damaged data, the leader is asked for the next message.
 */
export async function* readSession(
  store: StreamStore,
  session: string,
  assembler: FrameAssembler,
  head: number,
  { firstPage = pageSizes.first, signal }: ReadPageOptions = {},
): AsyncGenerator<EventBatch, void> {
  const partition = store.layout.partitionOf(session);
  const subject = store.layout.subjectOf(session);
  let count = Math.min(firstPage, pageSizes.max);
  while (assembler.sequence < head) {
    const request = { subject, sequence: assembler.sequence + 1, count };
    const page = await store.readBatch(partition, request, signal);
    for (const message of page.length === 0 ? [undefined] : page) {
      if (assembler.sequence >= head) return;
      const pushed = await pushChecked(store, session, assembler, { head, signal }, message);
      if (pushed === "forgotten") return;
      if (pushed !== undefined) yield pushed;
    }
    count = Math.min(2 * count, pageSizes.max);
  }
}

/**
 * Pushes a message of a replica. If there is none up to `head`, or if it does not fit, the leader's copy decides whether the
 * session is damaged or was forgotten meanwhile.
 */
async function pushChecked(
  store: StreamStore,
  session: string,
  assembler: FrameAssembler,
  range: ReadRange,
  message: StoredMessage | undefined,
): Promise<EventBatch | "forgotten" | undefined> {
  try {
    if (message !== undefined && message.sequence <= range.head) return assembler.push(message);
  } catch (error) {
    if (!FairleadError.is(error, "corrupt")) throw error;
  }
  const next = await readFromLeader(store, session, assembler, range);
  return next === undefined ? "forgotten" : assembler.push(next);
}

/** Returns the next message of a session up to `head`; undefined if the session was forgotten meanwhile. */
async function readFromLeader(
  store: StreamStore,
  session: string,
  assembler: FrameAssembler,
  { head, signal }: ReadRange,
): Promise<StoredMessage | undefined> {
  const next = await store.readNext(session, assembler.sequence + 1, signal);
  if (next !== undefined && next.sequence <= head) return next;
  const first = await store.readNext(session, 1, signal);
  if (first === undefined || first.sequence > head) return undefined;
  // A leader that was just elected may not have applied its newest messages.
  const end = await readSessionEnd(store, session, signal);
  if (end.head <= assembler.sequence) return undefined;
  throw assembler.damage("a batch that was written cannot be found");
}

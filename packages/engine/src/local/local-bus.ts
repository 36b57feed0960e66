import { FairleadError, type Delta } from "@fairlead/contract";
import type { Bus, BusCall } from "../bus.ts";
import { DeltaQueue } from "./delta-queue.ts";
import { PendingCalls } from "./pending-calls.ts";

/** A host's service for one session. */
interface SessionServer {
  readonly epoch: number;
  readonly answer: (call: BusCall) => Promise<unknown>;
  /** The replies that callers wait for. */
  readonly replies: Set<Promise<unknown>>;
}

/**
 * The bus of one machine: function calls within one process. That suffices because the daemon serves the clients and drives
 * the sessions. A second process on the data directory reaches a session through its log, not through the bus.
 */
export class LocalBus implements Bus, AsyncDisposable {
  readonly #servers = new Map<string, Set<SessionServer>>();
  readonly #queues = new Map<string, Set<DeltaQueue>>();
  readonly #pending = new PendingCalls();
  #isClosed = false;

  async serve(session: string, epoch: number, answer: (call: BusCall) => Promise<unknown>): Promise<AsyncDisposable> {
    this.#assertOpen();
    const server = { epoch, answer, replies: new Set<Promise<unknown>>() };
    addTo(this.#servers, session, server);
    return {
      [Symbol.asyncDispose]: async () => {
        removeFrom(this.#servers, session, server);
        await Promise.allSettled(server.replies);
      },
    };
  }

  async call(session: string, call: BusCall, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    this.#assertOpen();
    const server = this.#findServer(session);
    if (server === undefined) {
      throw new FairleadError("unavailable", `No host drives session ${session} at the moment. Try again later.`);
    }
    return await this.#pending.wait(answerCall(server, call), signal);
  }

  publish(session: string, delta: Delta): void {
    for (const queue of this.#queues.get(session) ?? []) queue.push(delta);
  }

  /** Subscribes from this call on, not from the first `next`. */
  subscribe(session: string, signal: AbortSignal): AsyncIterable<Delta> {
    this.#assertOpen();
    const abort = (): void => queue.end();
    const queue: DeltaQueue = new DeltaQueue(() => {
      signal.removeEventListener("abort", abort);
      removeFrom(this.#queues, session, queue);
    });
    signal.addEventListener("abort", abort);
    addTo(this.#queues, session, queue);
    if (signal.aborted) queue.end();
    return queue;
  }

  /** Ends all subscriptions, and all calls: their answers may have had effects. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#pending.rejectAll(new FairleadError("indeterminate", "The engine was closed before the host replied."));
    for (const queue of [...this.#queues.values()].flatMap((queues) => [...queues])) queue.end(createClosedError());
    this.#servers.clear();
  }

  #findServer(session: string): SessionServer | undefined {
    const servers = [...(this.#servers.get(session) ?? [])];
    return servers.toSorted((one, other) => one.epoch - other.epoch).at(-1);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw createClosedError();
  }
}

async function answerCall({ answer, replies }: SessionServer, call: BusCall): Promise<unknown> {
  const reply = Promise.try(answer, call);
  replies.add(reply);
  try {
    return await reply;
  } catch (error) {
    if (FairleadError.isInstance(error)) throw error;
    const message = "The host failed while it answered. Its log has the details. Check the state before you try again.";
    throw new FairleadError("indeterminate", message, { cause: error });
  } finally {
    replies.delete(reply);
  }
}

function createClosedError(): FairleadError {
  return new FairleadError("unavailable", "The engine is closed.");
}

function addTo<Item>(sets: Map<string, Set<Item>>, name: string, item: Item): void {
  const items = sets.get(name) ?? new Set();
  sets.set(name, items.add(item));
}

/** Removes the set with its last item: a process serves any number of sessions in its lifetime. */
function removeFrom<Item>(sets: Map<string, Set<Item>>, name: string, item: Item): void {
  const items = sets.get(name);
  items?.delete(item);
  if (items?.size === 0) sets.delete(name);
}

import { FairleadError, TerminalSize, type Delta } from "@fairlead/contract";
import { DeltaQueue } from "@fairlead/engine";
import type { Subscription } from "@nats-io/transport-node";
import { z } from "zod";
import { decodeBody, encodeBody } from "./bus-message.ts";
import { createClosedError, type BusLink } from "./bus-link.ts";

/** A publisher's own fields reach the subscriber too: a gateway drops late text by the sequence that its host adds. */
const PublishedDelta = z.looseObject({
  type: z.enum(["text.delta", "reasoning.delta", "screen"]),
  text: z.string(),
  parent: z.string().exactOptional(),
  size: TerminalSize.exactOptional(),
}) satisfies z.ZodType<Delta>;

/** The followers of one session in this process share one subscription. */
interface FollowedSession {
  readonly subscription: Subscription;
  readonly queues: Set<DeltaQueue>;
}

/** Live output of sessions on plain subjects: not stored, and lost for those who are not connected. */
export class LiveOutput {
  readonly #link: BusLink;
  readonly #followed = new Map<string, FollowedSession>();

  constructor(link: BusLink) {
    this.#link = link;
  }

  /** A delta that does not fit into a message is dropped, as is one without a connection. */
  publish(session: string, delta: Delta): void {
    if (!this.#link.canSend) return;
    try {
      this.#link.publish(this.#link.subjects.deltas(session), encodeBody(delta));
    } catch {
      // The session's id is too long for a subject, so that it has no subscribers either.
    }
  }

  /** Subscribes from this call on, not from the first `next`. */
  subscribe(session: string, signal: AbortSignal): AsyncIterable<Delta> {
    this.#link.assertOpen();
    const abort = (): void => queue.end();
    const queue: DeltaQueue = new DeltaQueue(() => {
      signal.removeEventListener("abort", abort);
      this.#remove(session, queue);
    });
    if (signal.aborted) {
      queue.end();
      return queue;
    }
    this.#follow(session).queues.add(queue);
    signal.addEventListener("abort", abort);
    return queue;
  }

  close(): void {
    this.#endAll([...this.#followed.values()], createClosedError());
  }

  #follow(session: string): FollowedSession {
    const known = this.#followed.get(session);
    if (known !== undefined) return known;
    const queues = new Set<DeltaQueue>();
    const subscription = this.#link.subscribe(
      this.#link.subjects.deltas(session),
      ({ data }) => {
        const delta = PublishedDelta.safeParse(decodeBody(data)).data;
        if (delta !== undefined) for (const queue of queues) queue.push(delta);
      },
      (error) => {
        const message = `The live output of session ${session} cannot be read: ${error.message}.`;
        this.#endAll([followed], new FairleadError("unavailable", message, { cause: error }));
      },
    );
    const followed = { subscription, queues };
    this.#followed.set(session, followed);
    return followed;
  }

  #remove(session: string, queue: DeltaQueue): void {
    const followed = this.#followed.get(session);
    if (followed?.queues.delete(queue) !== true || followed.queues.size > 0) return;
    this.#followed.delete(session);
    followed.subscription.unsubscribe();
  }

  #endAll(followed: readonly FollowedSession[], error: FairleadError): void {
    for (const queue of followed.flatMap(({ queues }) => [...queues])) queue.end(error);
  }
}

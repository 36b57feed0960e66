import { FairleadError, type ErrorCode } from "@fairlead/contract";
import type { BusCall } from "@fairlead/engine";
import type { Msg, Subscription } from "@nats-io/transport-node";
import { z } from "zod";
import type { BegunCalls } from "./begun-calls.ts";
import { untilAborted, type BusLink } from "./bus-link.ts";
import {
  CallHead,
  decodeBody,
  decodeMessage,
  encodeBody,
  encodeMessage,
  maxBodySize,
  type AnswerHead,
} from "./bus-message.ts";
import { EpochElection } from "./epoch-election.ts";
import { partSize, type LargeBodies } from "./large-bodies.ts";

// How long an older service refuses calls while the newer one begins. A refused caller tries again, one without any host
// does not.
const handoverTimeout = 2_000;

const CallBody = z.object({ method: z.string(), params: z.unknown().optional() });

export interface SessionServiceOptions {
  readonly link: BusLink;
  readonly bodies: LargeBodies;
  readonly begun: BegunCalls;
  readonly session: string;
  readonly epoch: number;
  readonly answer: (call: BusCall) => Promise<unknown>;
}

/** A host's service for one session. It takes calls while no newer one does, and again after each reconnect. */
export class SessionService implements AsyncDisposable {
  readonly #options: SessionServiceOptions;
  readonly #contest: EpochElection;
  readonly #replies = new Set<Promise<void>>();
  readonly #started = Promise.withResolvers<void>();
  readonly #stopListening: () => void;
  #attempt = new AbortController();
  #subscription: Subscription | undefined;
  #handover: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(options: SessionServiceOptions) {
    this.#options = options;
    this.#contest = new EpochElection({
      link: options.link,
      session: options.session,
      epoch: options.epoch,
      onNewer: (isActive) => this.#yield(isActive),
      onNewerEnded: () => this.#begin(),
    });
    this.#stopListening = options.link.listen({
      onDisconnect: () => this.#suspend(),
      onReconnect: () => this.#begin(),
    });
  }

  /** Returns when calls of all processes reach the service, or a newer one. */
  async start(): Promise<void> {
    if (this.#options.link.canSend) this.#begin();
    await untilAborted(this.#started.promise, this.#options.link.closed);
  }

  /** Repeats the announcement, in case others have missed it. */
  announce(): void {
    if (this.#subscription !== undefined && this.#contest.isNewest) this.#contest.announceActive();
  }

  /** Ends the service without waiting for the replies to begun calls. */
  stop(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stopListening();
    this.#suspend();
    this.#contest.leave();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    while (this.#replies.size > 0) await Promise.allSettled(this.#replies);
    const { link } = this.#options;
    // The replies must be out before the process may close the connection.
    if (link.canSend) await link.flush().catch(() => {});
  }

  #begin(): void {
    this.#suspend();
    if (this.#hasEnded) return;
    const attempt = new AbortController();
    this.#attempt = attempt;
    const { closed } = this.#options.link;
    this.#join(AbortSignal.any([attempt.signal, closed])).then(this.#started.resolve, (error: unknown) => {
      // A lost connection ends the attempt, and the reconnect begins the next one.
      if (FairleadError.isInstance(error) && !attempt.signal.aborted) this.#started.reject(error);
    });
  }

  async #join(signal: AbortSignal): Promise<void> {
    const { link, session } = this.#options;
    if (!(await this.#contest.enter(signal))) return;
    this.#subscription = link.subscribe(link.subjects.calls(session), (message) => this.#receive(message));
    await link.flush(signal);
    await link.whenPropagated(signal);
    if (!this.#contest.isNewest) return;
    this.#contest.announceActive();
    await link.flush(signal);
  }

  #suspend(): void {
    this.#attempt.abort();
    this.#contest.suspend();
    this.#stopCalls();
  }

  #stopCalls(): void {
    clearTimeout(this.#handover);
    this.#handover = undefined;
    const subscription = this.#subscription;
    this.#subscription = undefined;
    // Calls that the server has sent already must be refused. Without a connection there are none.
    if (this.#options.link.canSend) subscription?.drain().catch(() => {});
    else subscription?.unsubscribe();
  }

  #yield(isActive: boolean): void {
    if (isActive) this.#stopCalls();
    else this.#handover ??= setTimeout(() => this.#stopCalls(), handoverTimeout).unref();
  }

  #receive({ data, reply }: Msg): void {
    const { link, begun } = this.#options;
    if (!link.subjects.isReply(reply)) return;
    const message = decodeMessage(CallHead, data);
    if (message === undefined) return;
    if (this.#hasEnded || !this.#contest.isNewest) return void this.#send(reply, { type: "refused" });
    if (!begun.begin(reply)) {
      // The caller sends a call again if it has not heard that it has begun.
      if (begun.isUnderWay(reply)) this.#send(reply, { type: "begun", host: link.id });
      return;
    }
    const answered = this.#answer(message, reply).finally(() => {
      begun.end(reply);
      this.#replies.delete(answered);
    });
    this.#replies.add(answered);
  }

  async #answer(message: { readonly head: CallHead; readonly body: Uint8Array }, reply: string): Promise<void> {
    const { link } = this.#options;
    let hasReplied = false;
    // Most calls are answered at once, and then one message suffices.
    setImmediate(() => {
      if (!hasReplied) this.#send(reply, { type: "begun", host: link.id });
    });
    const { type, body } = await this.#carryOut(message);
    // A reply without a connection would be lost, although the caller asks whether the host still works on it.
    await link.whenConnected();
    hasReplied = true;
    if (body.length <= partSize) return void this.#send(reply, { type }, body);
    using held = this.#options.bodies.hold(body);
    if (this.#send(reply, { type, large: held.large })) await held.released;
  }

  async #carryOut({ head, body }: { readonly head: CallHead; readonly body: Uint8Array }): Promise<{
    readonly type: "reply" | "error";
    readonly body: Uint8Array;
  }> {
    try {
      const call = await this.#readCall(head, body);
      return { type: "reply", body: encodeReply(await this.#options.answer(call)) };
    } catch (error) {
      return { type: "error", body: encodeBody(toSentError(error)) };
    }
  }

  async #readCall({ large }: CallHead, inline: Uint8Array): Promise<BusCall> {
    try {
      const body = large === undefined ? inline : await this.#options.bodies.fetch(large);
      const { method, params } = CallBody.parse(decodeBody(body));
      return { method, params };
    } catch (cause) {
      throw new FairleadError("unavailable", "The call did not reach the host. Try again.", { cause });
    }
  }

  #send(reply: string, head: AnswerHead, body?: Uint8Array): boolean {
    return this.#options.link.publish(reply, encodeMessage(head, body));
  }
}

function encodeReply(reply: unknown): Uint8Array {
  const body = encodeBody(reply);
  if (body.length <= maxBodySize) return body;
  const limit = `${maxBodySize / 1024 ** 2} MiB`;
  throw new FairleadError("indeterminate", `The call has ended, but its reply is larger than ${limit}.`);
}

/** The text of an unexpected error may contain secrets, so it stays on the host. */
function toSentError(error: unknown): { readonly code: ErrorCode; readonly message: string } {
  if (FairleadError.isInstance(error)) return { code: error.code, message: error.message };
  const message = "The host failed while it answered. Its log has the details. Check the state before you try again.";
  return { code: "indeterminate", message };
}

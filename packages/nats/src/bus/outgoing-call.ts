import { errorCodes, FairleadError } from "@fairlead/contract";
import type { Msg } from "@nats-io/transport-node";
import { z } from "zod";
import { AnswerHead, decodeBody, decodeMessage, encodeMessage, type LargeBody } from "./bus-message.ts";
import type { BusLink } from "./bus-link.ts";
import type { LargeBodies } from "./large-bodies.ts";

// After so many checks without a sign of the host, its caller gives up. The servers may need longer to come back.
const maxSilentChecks = 5;
const disconnectedWeight = 0.2;
// A host that has just lost its connection connects again within a second most of the time.
const maxAbsentChecks = 2;

// A call that no host has begun is sent again, because a host may begin or end at this moment: a host that has learned of a
// newer one refuses calls, and servers of a cluster learn of a subscription one after the other. Hosts know a call by its
// reply subject and carry it out once. Later, another host might not know that it was carried out.
const repeatTimeout = 2_000;
const refusedPause = 10;
const maxRefusedPause = 100;
const silencePause = 250;
const unheardPause = 50;

const CallError = z.object({ code: z.enum(errorCodes), message: z.string() });

export interface OutgoingCallOptions {
  readonly link: BusLink;
  readonly bodies: LargeBodies;
  readonly session: string;
  readonly payload: Uint8Array;
  /** The subject for the answers, which also identifies the call. */
  readonly reply: string;
  /** The subject for what is asked about the call. */
  readonly checkReply: string;
}

/** A call that waits for its reply. */
export class OutgoingCall implements Disposable {
  readonly outcome: Promise<unknown>;
  readonly #options: OutgoingCallOptions;
  readonly #resolve: (reply: unknown) => void;
  readonly #reject: (error: unknown) => void;
  #host: string | undefined;
  #silence = 0;
  #absentChecks = 0;
  #sent = 0;
  /** Of the times that the call was sent, those that no host has heard or that a host has refused. */
  #answered = 0;
  #repeatEnd = Infinity;
  #refusedPause = refusedPause;
  #hasEnded = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OutgoingCallOptions) {
    this.#options = options;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.outcome = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Sends the call. Throws `unavailable` if it cannot be sent. */
  send(): void {
    this.#repeatEnd = performance.now() + repeatTimeout;
    if (this.#publish()) return;
    throw new FairleadError(
      "unavailable",
      "The servers of the fleet cannot be reached at the moment. Try again later.",
    );
  }

  /** Without a connection, answers get lost. A host that has said that it has begun can be asked later. */
  onDisconnect(): void {
    if (this.#host === undefined)
      this.fail(createIndeterminateError("The connection to the fleet's servers was lost."));
  }

  receive(message: Msg): void {
    if (this.#hasEnded) return;
    if (isNoResponders(message)) return this.#onNoHost();
    const answer = decodeMessage(AnswerHead, message.data);
    if (answer === undefined) return;
    const { head, body } = answer;
    this.#silence = 0;
    if (head.type === "refused") return this.#onRefused();
    clearTimeout(this.#timer);
    if (head.type === "begun") this.#host = head.host;
    else if (head.type === "lost")
      this.fail(createIndeterminateError("The host's engine was closed before the reply."));
    else if (head.type === "reply" || head.type === "error") void this.#end(head, body);
  }

  /** Handles the answer to `check`. */
  receiveCheck(message: Msg): void {
    if (this.#hasEnded) return;
    if (isNoResponders(message)) {
      if (++this.#absentChecks < maxAbsentChecks) return;
      return this.fail(createIndeterminateError("The host ended before the reply."));
    }
    const head = decodeMessage(AnswerHead, message.data)?.head;
    if (head?.type !== "status") return;
    this.#silence = 0;
    this.#absentChecks = 0;
    // The host sends its reply before this answer, so the reply was lost.
    if (!head.isUnderWay) this.fail(createIndeterminateError("The host's reply was lost."));
  }

  /** Asks the host whether it still works on the call. Gives up if it was silent too often. */
  check(): void {
    const { link, reply, checkReply } = this.#options;
    this.#silence += link.canSend ? 1 : disconnectedWeight;
    if (this.#silence > maxSilentChecks) return this.fail(createIndeterminateError("The host does not respond."));
    if (this.#host === undefined) return;
    link.publish(link.subjects.process(this.#host), encodeMessage({ type: "status", call: reply }), checkReply);
  }

  fail(error: unknown): void {
    this.#hasEnded = true;
    this.#reject(error);
  }

  [Symbol.dispose](): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  #publish(): boolean {
    const { link, session, payload, reply } = this.#options;
    if (!link.publish(link.subjects.calls(session), payload, reply)) return false;
    this.#sent++;
    this.#repeatAfter(silencePause * this.#sent);
    return true;
  }

  #repeatAfter(pause: number): void {
    clearTimeout(this.#timer);
    if (performance.now() + pause < this.#repeatEnd) this.#timer = setTimeout(() => this.#publish(), pause);
  }

  #onNoHost(): void {
    if (this.#host !== undefined) return;
    this.#countAnswer();
    const { link } = this.#options;
    if (this.#answered < this.#sent) {
      // A host that heard it before may have begun it. Its message is then on the way, or lost with its connection.
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#failWithoutHost(), unheardPause);
    } else if (link.isClustered && this.#sent === 1) this.#repeatAfter(unheardPause);
    else this.#failWithoutHost();
  }

  /** Says that the call had no effect only if that is known for each time that it was sent. */
  #failWithoutHost(): void {
    if (this.#answered < this.#sent)
      return this.fail(createIndeterminateError("A host may have begun the call, and is gone."));
    const message = `No host drives session ${this.#options.session} at the moment. Try again later.`;
    this.fail(new FairleadError("unavailable", message));
  }

  #onRefused(): void {
    if (this.#host !== undefined) return;
    this.#countAnswer();
    // The newer host may have the call without being able to answer.
    if (performance.now() > this.#repeatEnd)
      return this.fail(createIndeterminateError("The session's host has changed."));
    this.#repeatAfter(this.#refusedPause);
    this.#refusedPause = Math.min(2 * this.#refusedPause, maxRefusedPause);
  }

  #countAnswer(): void {
    // Several older hosts may refuse what was sent once.
    this.#answered = Math.min(this.#answered + 1, this.#sent);
  }

  async #end(head: { readonly type: "reply" | "error"; readonly large?: LargeBody | undefined }, inline: Uint8Array) {
    // The body must have been received before the call ends: checks of the host continue until then.
    try {
      const body = head.large === undefined ? inline : await this.#options.bodies.fetch(head.large);
      if (head.type === "reply") this.#resolve(decodeBody(body));
      else this.fail(toCallError(body));
    } catch (cause) {
      this.fail(createIndeterminateError("The host's reply was lost.", cause));
    }
  }
}

/** The outcome of a call whose effect is unknown. */
export function createIndeterminateError(reason: string, cause?: unknown): FairleadError {
  return new FairleadError("indeterminate", `${reason} Check the state before you try again.`, { cause });
}

function toCallError(body: Uint8Array): FairleadError {
  const error = CallError.safeParse(decodeBody(body)).data;
  if (error === undefined)
    return createIndeterminateError("The host failed with an error that this version does not know.");
  return new FairleadError(error.code, error.message);
}

function isNoResponders({ data, headers }: Msg): boolean {
  return data.length === 0 && headers?.code === 503;
}

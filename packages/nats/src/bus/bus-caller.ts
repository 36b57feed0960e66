import { FairleadError } from "@fairlead/contract";
import type { BusCall } from "@fairlead/engine";
import type { Subscription } from "@nats-io/transport-node";
import { encodeBody, encodeMessage, maxBodySize } from "./bus-message.ts";
import type { BusLink } from "./bus-link.ts";
import { partSize, type LargeBodies } from "./large-bodies.ts";
import { createIndeterminateError, OutgoingCall } from "./outgoing-call.ts";

// Ends the name of a call in the subject for the answers to checks.
const checkSuffix = "-check";

export interface BusCallerOptions {
  readonly link: BusLink;
  readonly bodies: LargeBodies;
  /** How often all waiting calls are checked, in milliseconds. */
  readonly checkInterval: number;
}

/** The calls of one process. All replies come through one subscription. */
export class BusCaller {
  readonly #link: BusLink;
  readonly #bodies: LargeBodies;
  readonly #checkInterval: number;
  readonly #calls = new Map<string, OutgoingCall>();
  readonly #subscription: Subscription;
  #checks: NodeJS.Timeout | undefined;

  constructor({ link, bodies, checkInterval }: BusCallerOptions) {
    this.#link = link;
    this.#bodies = bodies;
    this.#checkInterval = checkInterval;
    const prefix = link.subjects.reply(link.id, "");
    this.#subscription = link.subscribe(link.subjects.reply(link.id, "*"), (message) => {
      const name = message.subject.slice(prefix.length);
      if (name.endsWith(checkSuffix)) this.#calls.get(name.slice(0, -checkSuffix.length))?.receiveCheck(message);
      else this.#calls.get(name)?.receive(message);
    });
    link.listen({
      onDisconnect: () => {
        for (const call of this.#calls.values()) call.onDisconnect();
      },
    });
  }

  async call(session: string, { method, params }: BusCall, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    this.#link.assertOpen();
    const body = encodeCall({ method, params });
    using held = body.length > partSize ? this.#bodies.hold(body) : undefined;
    const payload = held === undefined ? encodeMessage({}, body) : encodeMessage({ large: held.large });
    const name = this.#link.nextRequest();
    const reply = this.#link.subjects.reply(this.#link.id, name);
    const checkReply = this.#link.subjects.reply(this.#link.id, `${name}${checkSuffix}`);
    const options = { link: this.#link, bodies: this.#bodies, session, payload, reply, checkReply };
    using outgoing = new OutgoingCall(options);
    const abort = (): void => outgoing.fail(signal.reason);
    outgoing.send();
    this.#add(name, outgoing);
    signal.addEventListener("abort", abort);
    try {
      return await outgoing.outcome;
    } finally {
      // A signal may live as long as the process. A listener that stayed would keep the call in memory.
      signal.removeEventListener("abort", abort);
      this.#remove(name);
    }
  }

  close(): void {
    const error = createIndeterminateError("The engine was closed before the host replied.");
    for (const call of this.#calls.values()) call.fail(error);
    clearInterval(this.#checks);
    this.#subscription.unsubscribe();
  }

  #add(name: string, call: OutgoingCall): void {
    this.#calls.set(name, call);
    this.#checks ??= setInterval(() => {
      for (const waiting of this.#calls.values()) waiting.check();
    }, this.#checkInterval);
  }

  #remove(name: string): void {
    this.#calls.delete(name);
    if (this.#calls.size > 0) return;
    clearInterval(this.#checks);
    this.#checks = undefined;
  }
}

function encodeCall(call: BusCall): Uint8Array {
  let body: Uint8Array;
  try {
    body = encodeBody(call);
  } catch (cause) {
    throw new FairleadError("invalid-request", `The parameters of ${call.method} are not JSON.`, { cause });
  }
  if (body.length <= maxBodySize) return body;
  const limit = `${maxBodySize / 1024 ** 2} MiB`;
  throw new FairleadError("too-large", `The parameters of ${call.method} are larger than ${limit}.`);
}

import type { Delta } from "@fairlead/contract";
import type { Bus, BusCall } from "@fairlead/engine";
import type { Msg, NatsConnection, Subscription } from "@nats-io/transport-node";
import { BegunCalls } from "./begun-calls.ts";
import { BusCaller } from "./bus-caller.ts";
import { BusLink } from "./bus-link.ts";
import { decodeMessage, encodeMessage, ProcessRequest, type AnswerHead } from "./bus-message.ts";
import { LargeBodies } from "./large-bodies.ts";
import { LiveOutput } from "./live-output.ts";
import { SessionService } from "./session-service.ts";

export interface NatsBusOptions {
  /** Stays open when the bus is disposed. */
  readonly connection: NatsConnection;
  readonly namespace: string;
  /**
   * How often a caller asks a host about a call that it has begun, in milliseconds. A host that does not answer five times
   * is given up. Default: one second.
   */
  readonly checkInterval?: number;
}

// Announcements get lost only while servers cannot reach each other.
const announcementInterval = 30_000;
const flushTimeout = 1_000;

/**
 * The bus of a fleet, on plain messages of NATS. Nothing is stored.
 *
 * A call is a request on the subject of its session. If no host listens, the server says so at once. A host that does not
 * reply at once says that it has begun. From then on the caller asks that host every second whether it still works on the
 * call, so a call may take any time, and a host that was killed, cut off or paused is noticed within seconds. `EpochElection`
 * explains which of several hosts takes the calls.
 */
export class NatsBus implements Bus, AsyncDisposable {
  readonly #link: BusLink;
  readonly #bodies: LargeBodies;
  readonly #caller: BusCaller;
  readonly #liveOutput: LiveOutput;
  readonly #begun = new BegunCalls();
  readonly #services = new Set<SessionService>();
  readonly #announcements: NodeJS.Timeout;
  readonly #requests: Subscription;

  constructor({ connection, namespace, checkInterval = 1_000 }: NatsBusOptions) {
    this.#link = new BusLink(connection, namespace);
    this.#bodies = new LargeBodies(this.#link);
    this.#caller = new BusCaller({ link: this.#link, bodies: this.#bodies, checkInterval });
    this.#liveOutput = new LiveOutput(this.#link);
    const { subjects, id } = this.#link;
    this.#requests = this.#link.subscribe(subjects.process(id), (message) => this.#receive(message));
    this.#announcements = setInterval(() => {
      for (const service of this.#services) service.announce();
    }, announcementInterval).unref();
    this.#link.closed.addEventListener("abort", () => this.#stop());
  }

  async serve(session: string, epoch: number, answer: (call: BusCall) => Promise<unknown>): Promise<AsyncDisposable> {
    this.#link.assertOpen();
    const { link, bodies, begun } = { link: this.#link, bodies: this.#bodies, begun: this.#begun };
    const service = new SessionService({ link, bodies, begun, session, epoch, answer });
    this.#services.add(service);
    try {
      await service.start();
    } catch (error) {
      this.#services.delete(service);
      service.stop();
      throw error;
    }
    return {
      [Symbol.asyncDispose]: async () => {
        this.#services.delete(service);
        await service[Symbol.asyncDispose]();
      },
    };
  }

  async call(session: string, call: BusCall, signal: AbortSignal): Promise<unknown> {
    return await this.#caller.call(session, call, signal);
  }

  publish(session: string, delta: Delta): void {
    this.#liveOutput.publish(session, delta);
  }

  subscribe(session: string, signal: AbortSignal): AsyncIterable<Delta> {
    return this.#liveOutput.subscribe(session, signal);
  }

  /** Ends all subscriptions, services and calls: the callers learn at once that a reply is not to come. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#link.closed.aborted) return;
    const lost = encodeMessage({ type: "lost" } satisfies AnswerHead);
    for (const call of this.#begun.underWay) this.#link.publish(call, lost);
    for (const service of this.#services) service.stop();
    const flushed = this.#link.canSend ? this.#link.flush(AbortSignal.timeout(flushTimeout)) : undefined;
    this.#link.close();
    await flushed?.catch(() => {});
  }

  #stop(): void {
    clearInterval(this.#announcements);
    for (const service of this.#services) service.stop();
    this.#services.clear();
    this.#caller.close();
    this.#liveOutput.close();
    this.#bodies.releaseAll();
    this.#requests.unsubscribe();
  }

  #receive({ data, reply }: Msg): void {
    const request = decodeMessage(ProcessRequest, data)?.head;
    if (request === undefined || !this.#link.subjects.isReply(reply)) return;
    if (request.type === "part") return void this.#link.publish(reply, this.#bodies.readPart(request) ?? "");
    const status: AnswerHead = { type: "status", isUnderWay: this.#begun.isUnderWay(request.call) };
    this.#link.publish(reply, encodeMessage(status));
  }
}

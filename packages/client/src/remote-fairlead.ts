import {
  assertEventReadOptions,
  type CodeRequest,
  type CodeView,
  collectArguments,
  type ClientMethods,
  type CommandOptions,
  type EventReadOptions,
  type Fairlead,
  type FairleadMethods,
  type GrantView,
  type MethodRouteName,
  type OverviewFrame,
  type OverviewOptions,
  type ReplyOf,
  type Route,
  type RouteName,
  routes,
} from "@fairlead/api";
import type { Delta, HostTool, ReadEvent } from "@fairlead/contract";
import { Backoff } from "./backoff.ts";
import { callRoute, type RouteCallOptions } from "./call-route.ts";
import { followEvents } from "./follow-events.ts";
import { followOverview } from "./follow-overview.ts";
import { offerTools, type OfferedTools } from "./offer-tools.ts";
import type { Transport } from "./transport.ts";

export interface RemoteFairleadOptions {
  /**
   * How long to retry while the service cannot be reached, in milliseconds. 0 disables retries. Default: 15 seconds.
   * `overview`, and `events` with `follow`, retry four times as long while the service answers that it is unavailable.
   */
  readonly retryTimeoutMs?: number;
  /**
   * Called when `overview`, or `events` with `follow`, waits for the service, with the reason: once per outage, and not if a lost connection
   * is there again at the first attempt. Must not throw.
   */
  readonly onRetry?: (reason: string) => void;
}

/** The most events that a page of the service has. */
const maxPageLimit = 1000;
/** The servers of a fleet may be away for half a minute, and elect a leader for 10 seconds after that. */
const outageFactor = 4;

type SendRequest = <Name extends RouteName>(name: Name, options: RouteCallOptions<Name>) => Promise<ReplyOf<Name>>;

/** A base class with all methods of `Fairlead` that the route table describes. */
// oxlint-disable-next-line typescript/no-extraneous-class -- its methods come from the route table
const RouteMethods = class {
  constructor(send: SendRequest) {
    // The annotation checks the route table against the interface.
    const methods: FairleadMethods = buildMethods(send);
    Object.assign(this, methods);
  }
} as new (send: SendRequest) => FairleadMethods;

/** A client of a service in another process. */
export class RemoteFairlead extends RouteMethods implements Fairlead {
  readonly #transport: Transport;
  readonly #retryTimeoutMs: number;
  readonly #onRetry: RemoteFairleadOptions["onRetry"];
  readonly #send: SendRequest;

  constructor(transport: Transport, { retryTimeoutMs = 15_000, onRetry }: RemoteFairleadOptions = {}) {
    const send: SendRequest = (name, options) => {
      const { retriable }: Route = routes[name];
      return callRoute(transport, new Backoff(retriable ? retryTimeoutMs : 0), name, options);
    };
    super(send);
    this.#transport = transport;
    this.#retryTimeoutMs = retryTimeoutMs;
    this.#onRetry = onRetry;
    this.#send = send;
  }

  async *events(session: string, options: EventReadOptions = {}): AsyncGenerator<ReadEvent | Delta> {
    assertEventReadOptions(options);
    const { after = 0, deltas = false, clip, signal = new AbortController().signal } = options;
    if (options.follow) {
      yield* followEvents(this.#transport, this.#createBackoff(), session, { after, deltas, clip, signal });
      return;
    }
    let next: number | null = after;
    let left = options.limit ?? Infinity;
    while (next !== null && left > 0 && !signal.aborted) {
      const limit = Math.min(left, maxPageLimit);
      const query = { after: String(next), limit: String(limit), ...(clip !== undefined && { clip: String(clip) }) };
      const page: ReplyOf<"events"> = await this.#send("events", { session, query });
      yield* page.events;
      left -= page.events.length;
      next = page.next;
    }
  }

  overview({ after, signal = new AbortController().signal }: OverviewOptions = {}): AsyncGenerator<OverviewFrame> {
    return followOverview(this.#transport, this.#createBackoff(), { after, signal });
  }

  /** Runs tools for agents of the sessions that are started with `toolProgram`, until the result is disposed. */
  offerTools(tools: readonly HostTool[]): Promise<OfferedTools> {
    return offerTools(this.#transport, new Backoff(this.#retryTimeoutMs), tools);
  }

  /** Returns what the token of this client permits, and when it expires. */
  grant(): Promise<GrantView> {
    return this.#send("grant", {});
  }

  /** Issues a one-time code, which a page exchanges for a token with `exchangeCode`. */
  createCode(request: CodeRequest): Promise<CodeView> {
    return this.#send("createCode", { body: request });
  }

  /**
   * Stops the service. Agents keep running. `Fairlead` has no such method, because a service in the same process is
   * disposed instead.
   */
  shutdown(): Promise<void> {
    return this.#send("shutdown", {});
  }

  #createBackoff(): Backoff {
    const maxOutageMs = outageFactor * this.#retryTimeoutMs;
    return new Backoff(this.#retryTimeoutMs, { maxOutageMs, onRetry: this.#onRetry });
  }
}

function buildMethods(send: SendRequest): ClientMethods {
  const methods = Object.entries<Route>(routes).flatMap(([name, { args, command }]) => {
    if (args === null) return [];
    const method = (...values: unknown[]): Promise<unknown> => {
      const options = command ? (values[args.length] as CommandOptions | undefined) : undefined;
      const { query = {}, ...parts } = collectArguments(args, values);
      const request = { ...parts, query: query as Readonly<Record<string, string>>, ...options };
      return send(name as MethodRouteName, request as RouteCallOptions<MethodRouteName>);
    };
    return [[name, method]];
  });
  return Object.fromEntries(methods) as ClientMethods;
}

import {
  type BodyOf,
  errorFromProblem,
  pathSegmentPattern,
  type ReplyOf,
  type Route,
  type RouteName,
  routes,
} from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { Backoff } from "./backoff.ts";
import type { Transport, TransportRequest } from "./transport.ts";

/** The parts of a request to a route. */
export interface RouteCallOptions<Name extends RouteName> {
  readonly session?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: BodyOf<Name>;
  readonly key?: string;
  readonly signal?: AbortSignal;
}

/**
 * Calls a route. After a lost connection it sends the request again with the same idempotency key, so the service
 * executes a command once. It does not validate the reply: the service builds it with the same schemas, and a newer
 * service may add fields.
 */
export async function callRoute<Name extends RouteName>(
  transport: Transport,
  backoff: Backoff,
  name: Name,
  options: RouteCallOptions<Name>,
): Promise<ReplyOf<Name>> {
  const route: Route = routes[name];
  const path = buildPath(route, options.session, options.query);
  const request = buildRequest(route, options);
  for (;;) {
    options.signal?.throwIfAborted();
    try {
      return (await parseReply(await transport.fetch(path, request))) as ReplyOf<Name>;
    } catch (error) {
      await backoff.waitAfter(error, options.signal);
    }
  }
}

/** Builds the path of a route with a session and query parameters. */
export function buildPath(route: Route, session = "", query: Readonly<Record<string, string>> = {}): string {
  if (route.path.includes(":session") && !pathSegmentPattern.test(session)) {
    throw new FairleadError("session-not-found", `No session matches "${session}".`);
  }
  const search = new URLSearchParams(query).toString();
  return route.path.replace(":session", session) + (search && `?${search}`);
}

function buildRequest(route: Route, { body, key, signal }: RouteCallOptions<RouteName>): TransportRequest {
  return {
    method: route.method,
    headers: {
      accept: route.media,
      ...(route.body && { "content-type": "application/json" }),
      ...(route.command && { "idempotency-key": key ?? crypto.randomUUID() }),
    },
    ...(route.body && { body: JSON.stringify(body ?? {}) }),
    ...(signal && { signal }),
  };
}

async function parseReply(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const isText = response.headers.get("content-type")?.startsWith("text/plain") ?? false;
  if (response.ok) return isText ? await response.text() : await response.json();
  throw errorFromProblem(await response.json().catch(() => null), response.status);
}

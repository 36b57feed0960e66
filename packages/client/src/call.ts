import { type BodyOf, errorOf, pathSegment, type ReplyOf, type Route, type RouteName, routes } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { Patience } from "./patience.ts";
import type { Wire, WireRequest } from "./wire.ts";

/** What goes with a call. */
export interface Calling<Name extends RouteName> {
  readonly session?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: BodyOf<Name>;
  readonly key?: string;
  readonly signal?: AbortSignal;
}

/**
 * Calls a route. When the connection breaks it is called again with the same key; so a command is done once, however
 * often it had to be said. The reply is believed: the service made it by the same schemas, and may know more fields.
 */
export async function call<Name extends RouteName>(
  wire: Wire,
  patience: Patience,
  name: Name,
  calling: Calling<Name>,
): Promise<ReplyOf<Name>> {
  const route: Route = routes[name];
  const path = pathOf(route, calling.session, calling.query);
  const request = requestOf(route, calling);
  for (;;) {
    calling.signal?.throwIfAborted();
    try {
      return (await replyOf(await wire.fetch(path, request))) as ReplyOf<Name>;
    } catch (error) {
      await patience.after(error, calling.signal);
    }
  }
}

/** The path of a route, with its session in it. */
export function pathOf(route: Route, session = "", query: Readonly<Record<string, string>> = {}): string {
  if (route.path.includes(":session") && !pathSegment.test(session)) {
    throw new FairleadError("session-not-found", `There is no session ${session}.`);
  }
  const search = new URLSearchParams(query).toString();
  return route.path.replace(":session", session) + (search && `?${search}`);
}

function requestOf(route: Route, { body, key, signal }: Calling<RouteName>): WireRequest {
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

async function replyOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const isText = response.headers.get("content-type")?.startsWith("text/plain") ?? false;
  if (response.ok) return isText ? await response.text() : await response.json();
  throw errorOf(await response.json().catch(() => null), response.status);
}

import { createHash, timingSafeEqual } from "node:crypto";
import { chmodSync } from "node:fs";
import { type Grant, guard, type AccessPolicy, type RequestFacts } from "../http/access/guard.ts";
import { lockSocketPath } from "../files/lock-socket-path.ts";
import { isLoopback } from "../http/is-loopback.ts";
import { type Limits, defaultLimits } from "../http/limits.ts";
import { Listener } from "../http/listener.ts";
import { createShimApp, type ShimAppOptions } from "./shim-app.ts";
import type { ShimOptions } from "./shim.ts";

/** A port, at which each request needs the token; 0 for any free port. */
export interface ShimPort {
  readonly host: string;
  readonly port: number;
  readonly token: string;
}

/** The path of a Unix socket. Only the owner may enter its folder, so a caller at the socket needs no token. */
export interface ShimSocket {
  readonly socket: string;
}

export interface ServeShimOptions extends ShimOptions, Pick<ShimAppOptions, "onError"> {
  readonly address: ShimPort | ShimSocket;
  readonly limits?: Partial<Limits>;
}

/** A listening shim. Disposing it ends the streams; the agent keeps running. */
export interface ShimService extends AsyncDisposable {
  /** The URL, or the path of the socket. */
  readonly url: string;
}

/** Serves one agent over the shim protocol: HTTP for commands, a WebSocket for events. */
export async function serveShim(options: ServeShimOptions): Promise<ShimService> {
  await using resources = new AsyncDisposableStack();
  const { address } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const shutdownController = new AbortController();
  let port = "port" in address ? address.port : 0;
  const policyFor = (facts: RequestFacts): AccessPolicy =>
    "port" in address ? portPolicy({ ...address, port }, facts) : socketPolicy(facts);
  const authorize: ShimAppOptions["authorize"] = (facts, scope) => guard(facts, policyFor(facts), scope);
  const app = createShimApp({ ...options, authorize, limits, shutdownSignal: shutdownController.signal });
  if ("socket" in address) resources.use(lockSocketPath(address.socket));
  const listenAddress = "port" in address ? { host: address.host, port } : { path: address.socket };
  const listener = resources.use(await Listener.open(app, limits.connections, listenAddress));
  if ("socket" in address) chmodSync(address.socket, 0o600);
  port = listener.port ?? port;
  resources.defer(() => shutdownController.abort());
  const closing = resources.move();
  const url = "port" in address ? formatUrl(address.host, port) : address.socket;
  return { url, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

/** The grant of every caller with the token or at the socket: it drives the agent and answers its decisions. */
const driverGrant: Grant = { id: null, label: "shim", scopes: ["drive"] };

/**
 * Requires the token: every user of the machine, and every agent, can connect to a port of it. On loopback, also checks
 * the host name, which defeats DNS rebinding by a web page. On other addresses, the shim does not know its own name and
 * accepts any.
 */
function portPolicy({ host, port, token }: ShimPort, facts: RequestFacts): AccessPolicy {
  const names = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`);
  return {
    hosts: isLoopback(host) ? names : acceptAnyHost(facts),
    origins: [],
    anonymous: null,
    findGrant: (candidate) => (isSameToken(candidate, token) ? driverGrant : null),
    tokenHint: "`fairlead shim` prints it at its start. Send it as: Authorization: Bearer TOKEN",
  };
}

/** A web page cannot reach a Unix socket, so any host name is accepted. */
function socketPolicy(facts: RequestFacts): AccessPolicy {
  return { hosts: acceptAnyHost(facts), origins: [], anonymous: driverGrant, findGrant: () => driverGrant };
}

const acceptAnyHost = (facts: RequestFacts): string[] => facts.header("host").map((name) => name.toLowerCase());

/** Compares digests, so that the duration does not depend on how close a guess is. */
function isSameToken(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

function formatUrl(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

import { type Grant, guard, type AccessPolicy, type RequestFacts } from "../http/access/guard.ts";
import { type Limits, defaultLimits } from "../http/limits.ts";
import { Listener } from "../http/listener.ts";
import { createShimApp, type ShimAppOptions } from "./shim-app.ts";
import type { ShimOptions } from "./shim.ts";

export interface ServeShimOptions extends ShimOptions, Pick<ShimAppOptions, "onError"> {
  /** 0 for any free port. */
  readonly port: number;
  readonly host: string;
  readonly limits?: Partial<Limits>;
}

/** A listening shim. Disposing it ends the streams; the agent keeps running. */
export interface ShimService extends AsyncDisposable {
  readonly url: string;
}

/** Serves one agent over the shim protocol: HTTP for commands, a WebSocket for events. */
export async function serveShim(options: ServeShimOptions): Promise<ShimService> {
  const { host } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const shutdownController = new AbortController();
  let port = options.port;
  const authorize: ShimAppOptions["authorize"] = (facts, scope) =>
    guard(facts, accessPolicyFor(host, port, facts), scope);
  const app = createShimApp({ ...options, authorize, limits, shutdownSignal: shutdownController.signal });
  const listener = await Listener.open(app, limits.connections, { host, port });
  port = listener.port ?? port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    async [Symbol.asyncDispose]() {
      shutdownController.abort();
      await listener[Symbol.asyncDispose]();
    },
  };
}

/** The grant of every caller. The protocol has no tokens, so every client that reaches the port drives the agent. */
const driverGrant: Grant = { id: null, label: "shim", scopes: ["drive"] };

/**
 * On loopback, checks the host name, which defeats DNS rebinding by a web page. On other addresses, the shim does not
 * know its own name and accepts any.
 */
function accessPolicyFor(host: string, port: number, facts: RequestFacts): AccessPolicy {
  const names = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`);
  const hosts = isLoopback(host) ? names : facts.header("host").map((name) => name.toLowerCase());
  return { hosts, origins: [], anonymous: driverGrant, findGrant: () => driverGrant };
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

import { type Grant, guard, type Policy, type RequestFacts } from "../http/guard.ts";
import { type Limits, usualLimits } from "../http/limits.ts";
import { Listener } from "../http/listener.ts";
import { createShimApp, type ShimAppOptions } from "./shim-app.ts";
import type { ShimOptions } from "./shim.ts";

export interface ServeShimOptions extends ShimOptions, Pick<ShimAppOptions, "failed"> {
  /** 0 for any that is free. */
  readonly port: number;
  readonly host: string;
  readonly limits?: Partial<Limits>;
}

/** A shim as it listens. Disposing it ends the streams and leaves the agent running. */
export interface ShimService extends AsyncDisposable {
  readonly url: string;
}

/** Opens one agent to whoever speaks the protocol of the seed: HTTP for commands, a WebSocket for events. */
export async function serveShim(options: ServeShimOptions): Promise<ShimService> {
  const { host } = options;
  const limits = { ...usualLimits, ...options.limits };
  const ending = new AbortController();
  let port = options.port;
  const admit: ShimAppOptions["admit"] = (facts, scope) => guard(facts, policyOf(host, port, facts), scope);
  const app = createShimApp({ ...options, admit, limits, ending: ending.signal });
  const listener = await Listener.open(app, limits.connections, { host, port });
  port = listener.port ?? port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await listener[Symbol.asyncDispose]();
    },
  };
}

/** The protocol knows of no tokens, and one that comes along is not ours: whoever reaches the port drives the agent. */
const driver: Grant = { label: "shim", scopes: ["drive"] };

/** On loopback, a page whose name was made to point here is found out by the name; elsewhere, our name is not known. */
function policyOf(host: string, port: number, facts: RequestFacts): Policy {
  const names = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`);
  const hosts = isLoopback(host) ? names : facts.header("host").map((name) => name.toLowerCase());
  return { hosts, origins: [], anonymous: driver, find: () => driver };
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

import { chmodSync, mkdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { FairleadError } from "@fairlead/contract";
import type { AppOptions } from "./app-options.ts";
import { createApp } from "./app.ts";
import { type Grant, guard, type Policy } from "./guard.ts";
import { holdAlone } from "./hold-alone.ts";
import { type Limits, usualLimits } from "./limits.ts";
import { Listener } from "./listener.ts";
import type { Tokens } from "./tokens.ts";
import { Turnstile } from "./turnstile.ts";
import { Vigil } from "./vigil.ts";

export interface ServeOptions extends Pick<AppOptions, "fairlead" | "metrics" | "watch" | "shutdown" | "failed"> {
  /** The path of a socket; the folder around it is the owner's alone, and so whoever reaches it is the owner. */
  readonly socket?: string;
  /** A port at 127.0.0.1 (0 for any), for callers with a token. */
  readonly port?: number;
  readonly tokens: Tokens;
  readonly limits?: Partial<Limits>;
}

/** The service as it listens. Disposing it ends the streams, lets calls be answered, and leaves the sessions alone. */
export interface Service extends AsyncDisposable {
  /** Where it listens on loopback, if it does. */
  readonly url: string | null;
}

/** Opens the service to others: at a socket, at a port, or at both. */
export async function serve(options: ServeOptions): Promise<Service> {
  await using opening = new AsyncDisposableStack();
  const ending = new AbortController();
  const limits = { ...usualLimits, ...options.limits };
  const vigil = opening.use(new Vigil(options.tokens));
  const diffs = new Turnstile(limits.diffs);
  const listen = async (policy: () => Policy, where: object): Promise<Listener> => {
    const admit: AppOptions["admit"] = (facts, scope) => guard(facts, policy(), scope);
    const app = createApp({ ...options, admit, vigil, limits, diffs, ending: ending.signal });
    return opening.use(await Listener.open(app, limits.connections, where));
  };

  if (options.socket !== undefined) {
    opening.use(ownSocket(options.socket));
    await listen(() => socketPolicy(options.tokens), { path: options.socket });
    chmodSync(options.socket, 0o600);
  }
  let listener: Listener | null = null;
  if (options.port !== undefined) {
    const policy = (): Policy => portPolicy(options.tokens, listener?.port ?? 0);
    listener = await listen(policy, { host: "127.0.0.1", port: options.port });
  }
  opening.defer(() => ending.abort());
  const closing = opening.move();
  const url = listener && `http://127.0.0.1:${listener.port}`;
  return { url, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

const owner: Grant = { label: "owner", scopes: ["read", "drive", "approve", "admin"] };

/** No page of a browser can reach a socket; so there is no origin that could be right. */
function socketPolicy(tokens: Tokens): Policy {
  return { hosts: ["localhost", "fairlead"], origins: [], anonymous: owner, find: (token) => tokens.find(token) };
}

function portPolicy(tokens: Tokens, port: number): Policy {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const origins = hosts.map((host) => `http://${host}`);
  return { hosts, origins, anonymous: null, find: (token) => tokens.find(token) };
}

/** Makes the path ours to listen at: nobody else can be there, and nobody else can get in. */
function ownSocket(path: string): Disposable {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { mode, uid } = statSync(folder);
  if ((mode & 0o077) !== 0 || uid !== process.getuid?.()) {
    throw new FairleadError("not-allowed", `${folder} must be yours alone: chmod 700 ${folder}`);
  }
  const hold = holdAlone(`${path}.lock`);
  // Whoever listened here held the lock; so what is left of him answers nobody.
  rmSync(path, { force: true });
  return hold;
}

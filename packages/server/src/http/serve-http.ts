import { chmodSync, rmSync, statSync } from "node:fs";
import { FairleadError } from "@fairlead/contract";
import type { AppOptions } from "./app-options.ts";
import { createApp } from "./app.ts";
import { type Grant, guard, type AccessPolicy } from "./access/guard.ts";
import { createSocketFolder, lockSocketPath } from "../files/lock-socket-path.ts";
import { type Limits, defaultLimits } from "./limits.ts";
import { ConnectionBudget } from "./connection-budget.ts";
import { Listener } from "./listener.ts";
import type { AccessTokens } from "./access/access-tokens.ts";
import { Semaphore } from "./semaphore.ts";
import { RevocationWatcher } from "./access/revocation-watcher.ts";

export interface ServeHttpOptions extends Pick<
  AppOptions,
  "fairlead" | "version" | "metrics" | "httpObserver" | "requestShutdown" | "toolPrograms" | "onError"
> {
  /** The path of a Unix socket. Only the owner may enter its folder, so every caller at the socket is the owner. */
  readonly socket?: string;
  /** A port of 127.0.0.1 (0 for any free one). Callers need a token. */
  readonly port?: number;
  readonly tokens: AccessTokens;
  readonly limits?: Partial<Limits>;
}

/** A listening service. Disposing it ends the streams and waits for pending requests; sessions keep running. */
export interface HttpService extends AsyncDisposable {
  /** The URL on loopback, or null if it listens only at a socket. */
  readonly url: string | null;
  /** Listens at the socket again if its file was removed or replaced. Returns whether it had to. */
  restoreSocket(): Promise<boolean>;
}

/** Serves the API at a Unix socket, at a loopback port, or at both. */
export async function serveHttp(options: ServeHttpOptions): Promise<HttpService> {
  await using resources = new AsyncDisposableStack();
  // A stack of its own, because a socket that was removed is opened again later.
  const listeners = new AsyncDisposableStack();
  const shutdownController = new AbortController();
  const limits = { ...defaultLimits, ...options.limits };
  const revocationWatcher = resources.use(new RevocationWatcher(options.tokens));
  const diffSemaphore = new Semaphore(limits.diffs);
  const listen = async (policy: () => AccessPolicy, address: object): Promise<Listener> => {
    const authorize: AppOptions["authorize"] = (facts, scope) => guard(facts, policy(), scope);
    const budget = new ConnectionBudget(limits.unauthorizedConnections);
    const app = createApp({
      ...options,
      authorize,
      onAuthorized: (socket) => budget.authorize(socket),
      revocationWatcher,
      limits,
      diffSemaphore,
      shutdownSignal: shutdownController.signal,
    });
    return listeners.use(await Listener.open(app, limits.connections, address, budget));
  };

  let socketInode: number | undefined;
  const listenAtSocket = async (path: string): Promise<void> => {
    await listen(() => socketPolicy(options.tokens), { path });
    chmodSync(path, 0o600);
    socketInode = statSync(path).ino;
  };
  if (options.socket !== undefined) resources.use(lockSocketPath(options.socket));
  resources.use(listeners); // closed before the lock is released
  if (options.socket !== undefined) await listenAtSocket(options.socket);
  let listener: Listener | null = null;
  if (options.port !== undefined) {
    const findGrant = (token: string): Grant | null => findGrantOrHideProblem(options, token);
    const policy = (): AccessPolicy => portPolicy(findGrant, listener?.port ?? 0);
    listener = await listen(policy, { host: "127.0.0.1", port: options.port });
  }
  resources.defer(() => shutdownController.abort());
  const closing = resources.move();
  const url = listener && `http://127.0.0.1:${listener.port}`;
  const restoreSocket = async (): Promise<boolean> => {
    const { socket } = options;
    if (socket === undefined || shutdownController.signal.aborted) return false;
    if (statSync(socket, { throwIfNoEntry: false })?.ino === socketInode) return false;
    createSocketFolder(socket);
    rmSync(socket, { force: true });
    // The listener without a file stays open for its connections. Closing it would remove the new file.
    await listenAtSocket(socket);
    return true;
  };
  return { url, restoreSocket, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

const ownerGrant: Grant = { id: null, label: "owner", scopes: ["read", "drive", "approve", "admin"] };

/** Accepts no origin, because a page in a browser cannot reach a Unix socket. */
function socketPolicy(tokens: AccessTokens): AccessPolicy {
  return {
    hosts: ["localhost", "fairlead"],
    origins: [],
    anonymous: ownerGrant,
    findGrant: (token) => tokens.find(token),
  };
}

/** Finds the grant of a token. A caller at the port learns nothing about a token file that cannot be read, or its path. */
function findGrantOrHideProblem({ tokens, onError }: ServeHttpOptions, token: string): Grant | null {
  try {
    return tokens.find(token);
  } catch (error) {
    onError?.(error);
    throw new FairleadError("unavailable", "Tokens cannot be checked now. The log of the service has the details.");
  }
}

function portPolicy(findGrant: AccessPolicy["findGrant"], port: number): AccessPolicy {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const origins = hosts.map((host) => `http://${host}`);
  return { hosts, origins, anonymous: null, findGrant };
}

import { chmodSync, rmSync, statSync } from "node:fs";
import { FairleadError } from "@fairlead/contract";
import type { AppOptions } from "./app-options.ts";
import { createApp } from "./app.ts";
import { type CheckedOrigin, checkOrigin } from "./access/checked-origin.ts";
import { type Grant, guard, type AccessPolicy, refusePageRequest } from "./access/guard.ts";
import { acceptedHosts, checkNames } from "./access/accepted-hosts.ts";
import { createSocketFolder, lockSocketPath } from "../files/lock-socket-path.ts";
import { isLoopback } from "./is-loopback.ts";
import { type Limits, defaultLimits } from "./limits.ts";
import { PageSource } from "./page/page-source.ts";
import { ConnectionBudget } from "./connection-budget.ts";
import { Listener } from "./listener.ts";
import type { AccessTokens } from "./access/access-tokens.ts";
import { Semaphore } from "./semaphore.ts";
import type { ServedPage } from "./page/serve-page.ts";
import { RevocationWatcher } from "./access/revocation-watcher.ts";
import { type Certificate, checkCertificate } from "./tls/certificate.ts";

export interface ServeHttpOptions extends Pick<
  AppOptions,
  "fairlead" | "version" | "metrics" | "httpObserver" | "requestShutdown" | "codes" | "toolPrograms" | "onError"
> {
  /** The path of a Unix socket. Only the owner may enter its folder, so every caller at the socket is the owner. */
  readonly socket?: string;
  /** A port of 127.0.0.1 (0 for any free one). Callers need a token. */
  readonly port?: number;
  /**
   * The origins at which browsers reach `port` through a tunnel or a reverse proxy, exactly as browsers write them, for
   * example `https://agents.example`. They need TLS, except on loopback.
   */
  readonly origins?: readonly string[];
  /** An address that other machines may reach. Callers need a token. Other addresses than loopback need `tls`. */
  readonly listen?: { readonly host: string; readonly port: number };
  /** The certificate of `listen`. `HttpService.replaceCertificate` renews it. */
  readonly tls?: Certificate;
  /**
   * The names of the service that a request to `listen` may have in `Host` and `Origin`, for example
   * `agents.example:7443`. A name without a port has the one of `listen`. The address itself, if it is not a wildcard, is
   * always accepted.
   */
  readonly names?: readonly string[];
  readonly tokens: AccessTokens;
  /** Tells a caller at `listen` without a valid token how to get one. Default: on the machine of the service. */
  readonly tokenHint?: string;
  readonly limits?: Partial<Limits>;
  /**
   * The folder of the built web page, which `port` and `listen` serve. The socket does not: browsers cannot reach it.
   * Default: no page.
   */
  readonly pageFolder?: string;
}

/** A listening service. Disposing it ends the streams and waits for pending requests; sessions keep running. */
export interface HttpService extends AsyncDisposable {
  /** The URL on loopback, or null if it listens only at a socket. */
  readonly url: string | null;
  /** The URL of `listen`, with its first name; null if there is no such address. */
  readonly listenUrl: string | null;
  /** Uses another certificate for new connections to `listen`. Throws `invalid-settings` if it cannot be used. */
  replaceCertificate(certificate: Certificate): void;
  /** Listens at the socket again if its file was removed or replaced. Returns whether it had to. */
  restoreSocket(): Promise<boolean>;
}

/** Serves the API at a Unix socket, at a loopback port, at an address with TLS, or at several of them. */
export async function serveHttp(options: ServeHttpOptions): Promise<HttpService> {
  checkListenOptions(options);
  const origins = (options.origins ?? []).map((origin) => checkOrigin(origin));
  await using resources = new AsyncDisposableStack();
  // A stack of its own, because a socket that was removed is opened again later.
  const listeners = new AsyncDisposableStack();
  const shutdownController = new AbortController();
  const limits = { ...defaultLimits, ...options.limits };
  const revocationWatcher = resources.use(new RevocationWatcher(options.tokens));
  const diffSemaphore = new Semaphore(limits.diffs);
  const pageSource = options.pageFolder === undefined ? null : new PageSource(options.pageFolder);
  const listen = async (policy: () => AccessPolicy, address: object, certificate?: Certificate): Promise<Listener> => {
    const authorize: AppOptions["authorize"] = (facts, scope) => guard(facts, policy(), scope);
    const budget = new ConnectionBudget(limits.unauthorizedConnections);
    const refuse: ServedPage["refuse"] = (facts, isDocument) => refusePageRequest(facts, policy(), isDocument);
    const app = createApp({
      ...options,
      ...(pageSource !== null && !("path" in address) && { page: { source: pageSource, refuse } }),
      authorize,
      onAuthorized: (socket) => budget.authorize(socket),
      revocationWatcher,
      limits,
      diffSemaphore,
      shutdownSignal: shutdownController.signal,
    });
    return listeners.use(
      await Listener.open(app, limits.connections, address, { budget, ...(certificate && { certificate }) }),
    );
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
  const findGrant = (token: string): Grant | null => findGrantOrHideProblem(options, token);
  if (options.port !== undefined) {
    const policy = (): AccessPolicy => portPolicy(findGrant, listener?.port ?? 0, origins);
    listener = await listen(policy, { host: "127.0.0.1", port: options.port });
  }
  let networkListener: Listener | null = null;
  const networkHosts = (): readonly string[] => acceptedHosts(options, networkListener?.port ?? 0);
  if (options.listen !== undefined) {
    const scheme = options.tls ? "https" : "http";
    const policy = (): AccessPolicy => networkPolicy(findGrant, scheme, networkHosts(), options.tokenHint);
    networkListener = await listen(policy, options.listen, options.tls);
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
  const listenUrl = networkListener && `${options.tls ? "https" : "http"}://${networkHosts()[0]}`;
  const replaceCertificate = (certificate: Certificate): void => {
    checkCertificate(certificate);
    networkListener?.replaceCertificate(certificate);
  };
  return { url, listenUrl, replaceCertificate, restoreSocket, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

/** Refuses an address at which tokens would be readable, or no request could be accepted. */
function checkListenOptions({ listen, tls, names = [] }: ServeHttpOptions): void {
  checkNames(names);
  if (tls !== undefined) checkCertificate(tls);
  if (listen === undefined) return;
  const address = `${listen.host}:${listen.port}`;
  if (tls === undefined && !isLoopback(listen.host))
    throw new FairleadError(
      "invalid-settings",
      `Cannot listen on ${address} without TLS, because anyone on the network could read the tokens: add a certificate and its key (--tls CERT,KEY), or listen on 127.0.0.1.`,
    );
  if (acceptedHosts({ listen, names }, listen.port).length === 0)
    throw new FairleadError(
      "invalid-settings",
      `Cannot listen on ${address} without a name, because a web page could then reach the service under any name: add the name that clients use (--name HOST).`,
    );
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

/**
 * Finds the grant of a token. A caller at the port learns nothing about a token file that cannot be read, or its path. Only
 * the tokens of a gateway can be `unavailable`. Its callers do not have its log, so the message has the cause.
 */
function findGrantOrHideProblem({ tokens, onError }: ServeHttpOptions, token: string): Grant | null {
  try {
    return tokens.find(token);
  } catch (error) {
    onError?.(error);
    const reason = FairleadError.is(error, "unavailable")
      ? "Tokens cannot be checked now, because the servers of the fleet cannot be reached from this gateway. Try again in a moment."
      : "Tokens cannot be checked now. The log of the service has the details.";
    throw new FairleadError("unavailable", reason);
  }
}

/** A proxy may send its own name in `Host` or the address of the port, so each host is accepted with each origin. */
function portPolicy(findGrant: AccessPolicy["findGrant"], port: number, named: readonly CheckedOrigin[]): AccessPolicy {
  const own = [`127.0.0.1:${port}`, `localhost:${port}`];
  return {
    hosts: [...own, ...named.map(({ host }) => host)],
    origins: [...own.map((host) => `http://${host}`), ...named.map(({ origin }) => origin)],
    anonymous: null,
    findGrant,
  };
}

/** The owner's rights exist only at the socket: every caller from the network needs a token that was issued. */
function networkPolicy(
  findGrant: AccessPolicy["findGrant"],
  scheme: "http" | "https",
  hosts: readonly string[],
  tokenHint = "On the machine of the service, issue one with: fairlead token LABEL --scope read",
): AccessPolicy {
  const origins = hosts.map((host) => `${scheme}://${host}`);
  return { hosts, origins, anonymous: null, findGrant, tokenHint };
}

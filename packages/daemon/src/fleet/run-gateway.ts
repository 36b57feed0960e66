import { adapters, unverifiedAdapters } from "@fairlead/adapters";
import { FairleadError } from "@fairlead/contract";
import type { Engine, TokenStore } from "@fairlead/engine";
import { FleetFairlead } from "@fairlead/fleet";
import {
  AccessTokens,
  CertificateFiles,
  openObservability,
  serveHttp,
  serveMetrics,
  type HttpService,
} from "@fairlead/server";
import { pageFolder } from "@fairlead/web/page-folder";
import { readVersion } from "../daemon-info.ts";
import { warnIfPageIsMissing } from "../warn-if-page-is-missing.ts";
import type { OpenFleetEngine } from "./run-host.ts";
import { untilSignal } from "./until-signal.ts";

export interface RunGatewayOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly openEngine: (onServers?: Parameters<OpenFleetEngine>[1]) => Promise<Engine>;
  readonly listen: { readonly host: string; readonly port: number };
  /** The files of the certificate and of its key. Not needed on loopback. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** The names under which clients reach the gateway. */
  readonly names: readonly string[];
  /** The pool that gets the starts. */
  readonly pool: string;
  /** The address of loopback at which metrics and probes are served without a token. Default: none. */
  readonly metricsAddress?: { readonly host: string; readonly port: number };
  /** Called with the URL when the gateway answers. */
  readonly onReady: (url: string) => void;
}

/** All clients of the fleet may connect to one gateway, and at the same moment when another one is gone. */
const limits = { connections: 4096, unauthorizedConnections: 1024 };

/** Runs a gateway of a fleet until a signal. It has no state, so that it may be killed at any time. */
export async function runGateway(options: RunGatewayOptions): Promise<void> {
  const { environment, openEngine, listen, tls, names, pool, metricsAddress, onReady } = options;
  const version = readVersion(environment);
  await using observability = await openObservability({
    environment,
    version,
    write: (line) => process.stdout.write(line),
    isFleet: true,
  });
  const { log, fleet } = observability;
  const onError = (error: unknown): void => log.error("the new certificate is not used", error);
  const files = tls && CertificateFiles.read({ certFile: tls.certificate, keyFile: tls.key, onError });
  await using opened = await openEngine(fleet?.onServers);
  const engine = fleet?.measure(opened) ?? opened;
  const all = [...adapters, ...unverifiedAdapters];
  await using fairlead = new FleetFairlead({
    engine,
    adapters: all,
    pool,
    version,
    onError: (error) => log.error("a session of a lost host could not move", error),
    onMove: ({ session, outcome }) => {
      if (outcome === "arrived") log.info("session moved", { session });
      if (outcome === "refused") fleet?.onRefusedMove();
    },
  });
  const metrics = async (): Promise<string> => {
    // Without an answer of the servers, the other metrics are shown.
    const queueWaiting = await engine.queue.countOpen?.().catch(() => undefined);
    fleet?.updateGauges({ hosts: fairlead.hostCounts, ...(queueWaiting !== undefined && { queueWaiting }) });
    return await observability.metrics(fairlead);
  };
  await using service = await serveHttp({
    fairlead,
    version,
    listen,
    names,
    ...(files && { tls: files.current }),
    limits,
    pageFolder,
    tokens: new AccessTokens(withoutLimited(engine.tokens)),
    tokenHint: "Issue one with the file of the fleet: fairlead token LABEL --scope read --fleet FILE",
    httpObserver: observability.http,
    metrics,
    onError: (error) => log.error("request failed", error),
  }).catch((error: unknown) => {
    throw describeListenFailure(error, `${listen.host}:${listen.port}`);
  });
  await using _metrics =
    metricsAddress &&
    (await serveMetrics({
      listen: metricsAddress,
      metrics,
      findReasonNotReady: () => undefined,
      onError: (error) => log.error("metrics failed", error),
    }));
  using _renewal = files && renewCertificate(service, files, onError);
  const url = service.listenUrl ?? "";
  log.info("gateway started", { version, url });
  warnIfPageIsMissing(log);
  onReady(url);
  log.info("gateway stopping", { reason: await untilSignal() });
}

/** Returns an error that says why an address cannot be listened on, and what to type; another error as it is. */
function describeListenFailure(error: unknown, address: string): unknown {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Another process uses the address ${address}. Stop it, or choose another port with --listen.`,
    EADDRNOTAVAIL: `This machine does not have the address ${address}. Choose one of its own with --listen, or 0.0.0.0.`,
    EACCES: `This user may not listen on ${address}. Choose a port from 1024 with --listen.`,
    ENOTFOUND: `There is no address for the name in --listen: ${address}. Choose an address of this machine.`,
  };
  const { code = "" } = error as NodeJS.ErrnoException;
  const reason = reasons[code];
  return reason === undefined ? error : new FairleadError("invalid-settings", reason, { cause: error });
}

/**
 * Leaves out tokens that are limited to workspaces. A gateway does not have the hosts' folders, and cannot see where a link in
 * a folder leads.
 */
function withoutLimited(tokens: TokenStore): TokenStore {
  return {
    add: (token) => tokens.add(token),
    remove: (label) => tokens.remove(label),
    list: () => tokens.list().filter(({ workspaces }) => workspaces === undefined),
    version: () => tokens.version(),
  };
}

/** Uses each certificate that replaces the one in the files, without a restart. */
function renewCertificate(
  service: HttpService,
  files: CertificateFiles,
  onError: (error: unknown) => void,
): Disposable {
  const stopping = new AbortController();
  const renew = async (): Promise<void> => {
    for await (const certificate of files.watch(stopping.signal)) service.replaceCertificate(certificate);
  };
  void renew().catch(onError);
  return { [Symbol.dispose]: () => stopping.abort() };
}

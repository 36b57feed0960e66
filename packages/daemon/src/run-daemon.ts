import { rmSync } from "node:fs";
import { openObservability, serveHttp, AccessTokens } from "@fairlead/server";
import { openLocalFairlead } from "./open-local-fairlead.ts";
import type { DaemonContext } from "./daemon-context.ts";
import { publishDaemonInfo, readVersion } from "./daemon-info.ts";
import { acquireDaemonLock } from "./daemon-lock.ts";
import { digestVariables } from "./find-differing-variables.ts";

/** Runs the daemon of a data directory until a signal or a shutdown request. `listen` is a TCP address to add to the socket. */
export async function runDaemon(context: DaemonContext, listen: string | null): Promise<void> {
  const { home, environment } = context;
  const version = readVersion(environment);
  const shutdownReason = Promise.withResolvers<string>();
  const onSignal = (signal: NodeJS.Signals): void => shutdownReason.resolve(signal);
  // The lock comes before everything else: two daemons on the same sessions would fence each other off.
  using _lock = await acquireDaemonLock(home);
  rmSync(home.daemonInfoFile, { force: true }); // a killed daemon leaves its file
  await using observability = await openObservability({
    environment,
    version,
    write: (line) => process.stdout.write(line),
  });
  const { log } = observability;
  await using fairlead = await openLocalFairlead(context, observability.observer);
  await using service = await serveHttp({
    fairlead,
    socket: home.daemonSocket,
    ...(listen !== null && { port: parsePort(listen) }),
    tokens: new AccessTokens(home.tokensFile),
    httpObserver: observability.http,
    metrics: () => observability.metrics(fairlead),
    requestShutdown: () => shutdownReason.resolve("shutdown request"),
    onError: (error) => log.error("request failed", error),
  });
  const { api, startedAt, pid, journal } = await fairlead.health();
  const { url } = service;
  const variables = digestVariables(environment, startedAt);
  using _info = publishDaemonInfo(home.daemonInfoFile, { pid, version, api, startedAt, listen, url, variables });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, onSignal);
  log.info("daemon started", { version, url });
  if (journal.verdict === "damaged") log.warn("journal damaged: acknowledged events were lost", journal);
  else if (journal.verdict !== "clean") log.info("journal recovered after a crash", journal);
  fairlead.recovery.then(
    ({ sessions, failures }) => {
      if (sessions > 0) log.info("sessions recovered", { sessions });
      for (const { session, error } of failures) log.error("session not recovered", error, { session });
    },
    (error: unknown) => log.error("recovery failed", error),
  );
  log.info("daemon stopping", { reason: await shutdownReason.promise });
}

/** Returns the port of `host:port` or of a port alone. The command line has validated the text. */
function parsePort(listen: string): number {
  return Number(/\d+$/.exec(listen)?.[0]);
}

import { setTimeout as delay } from "node:timers/promises";
import { currentOwner } from "@fairlead/engine";
import { openObservability, serveHttp, AccessTokens, OneTimeCodes } from "@fairlead/server";
import { pageFolder } from "@fairlead/web/page-folder";
import { openLocalFairlead } from "./open-local-fairlead.ts";
import type { DaemonAddress } from "./daemon-address.ts";
import type { DaemonContext } from "./daemon-context.ts";
import { DaemonInfoFile, readVersion } from "./daemon-info.ts";
import { acquireDaemonLock } from "./daemon-lock.ts";
import { DaemonWatch } from "./daemon-watch.ts";
import { digestVariables } from "./find-differing-variables.ts";
import { warnIfPageIsMissing } from "./warn-if-page-is-missing.ts";

/** How long closing the service and releasing the sessions may take. One keeper that does not respond must not delay it. */
const closeTimeout = 10_000;

/**
 * Runs the daemon of a data directory until a signal or a shutdown request, and then ends this process. It listens at the
 * address in addition to the socket.
 */
export async function runDaemon(context: DaemonContext, address: DaemonAddress): Promise<never> {
  {
    // The lock comes before everything else: two daemons on the same sessions would fence each other off.
    using _lock = await acquireDaemonLock(context.home);
    // Removed last, so that a daemon that does not exit can be found and killed by its process id.
    using infoFile = new DaemonInfoFile(context.home.daemonInfoFile);
    await serveUntilStopped(context, address, infoFile);
  }
  // A handle that was not closed in time must not keep the process: its sessions would count as driven.
  process.exit(0);
}

async function serveUntilStopped(
  { home, environment }: DaemonContext,
  { listen, origins }: DaemonAddress,
  infoFile: DaemonInfoFile,
): Promise<void> {
  const version = readVersion(environment);
  const shutdownReason = Promise.withResolvers<string>();
  const onSignal = (signal: NodeJS.Signals): void => shutdownReason.resolve(signal);
  const observability = await openObservability({
    environment,
    version,
    write: (line) => process.stdout.write(line),
  });
  const { log } = observability;
  const resources = new AsyncDisposableStack();
  try {
    resources.use(observability);
    const fairlead = resources.use(await openLocalFairlead({ home, environment }, observability.observer));
    const tokens = new AccessTokens(fairlead.tokens);
    const onReuse = (label: string): void => log.warn("a one-time code was used again and refused", { by: label });
    const service = resources.use(
      await serveHttp({
        fairlead,
        version,
        socket: home.daemonSocket,
        ...(listen !== null && { port: parsePort(listen), pageFolder }),
        origins,
        tokens,
        codes: new OneTimeCodes({ tokens, onReuse }),
        httpObserver: observability.http,
        metrics: () => observability.metrics(fairlead),
        toolPrograms: fairlead.toolPrograms,
        requestShutdown: () => shutdownReason.resolve("shutdown request"),
        onError: (error) => log.error("request failed", error),
      }),
    );
    const { api, startedAt, pid, journal } = await fairlead.health();
    const { url } = service;
    const variables = digestVariables(environment, startedAt);
    infoFile.publish({ pid, owner: currentOwner(), version, api, startedAt, listen, origins, url, variables });
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, onSignal);
    log.info("daemon started", { version, url });
    if (url !== null) warnIfPageIsMissing(log);
    if (journal.verdict === "damaged") log.warn("journal damaged: acknowledged events were lost", journal);
    else if (journal.verdict !== "clean") log.info("journal recovered after a crash", journal);
    fairlead.recovery.then(
      ({ sessions }) => {
        // The observer logs each session that could not be recovered.
        if (sessions > 0) log.info("sessions recovered", { sessions });
      },
      (error: unknown) => log.error("recovery failed", error),
    );
    using _watch = new DaemonWatch({
      home,
      fairlead,
      service,
      infoFile,
      log,
      shutDown: (reason) => shutdownReason.resolve(reason),
      exit: (code) => process.exit(code),
    });
    log.info("daemon stopping", { reason: await shutdownReason.promise });
  } finally {
    infoFile.publishStopping();
    const closed = resources.disposeAsync().then(() => "closed" as const);
    if ((await Promise.race([closed, delay(closeTimeout, "late" as const)])) === "late") {
      // Nothing is lost: the next daemon recovers the sessions, as after a crash.
      log.warn("daemon exits before all sessions were released");
    }
  }
}

/** Returns the port of `host:port` or of a port alone. The command line has validated the text. */
function parsePort(listen: string): number {
  return Number(listen.slice(listen.lastIndexOf(":") + 1));
}

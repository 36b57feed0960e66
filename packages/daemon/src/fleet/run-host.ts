import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { Engine } from "@fairlead/engine";
import { FleetHost } from "@fairlead/fleet";
import { openObservability, serveMetrics, type Observability } from "@fairlead/server";
import { tryLockFile } from "../daemon-lock.ts";
import type { DaemonContext } from "../daemon-context.ts";
import { readVersion } from "../daemon-info.ts";
import { localFairleadOptions } from "../open-local-fairlead.ts";
import { drainUntilSignal } from "./drain-until-signal.ts";
import { readHostId } from "./read-host-id.ts";
import { untilSignal } from "./until-signal.ts";

/** Opens the engine of the fleet. The text identifies the host in it; `onServers` receives what operators count. */
export type OpenFleetEngine = (
  host: string,
  onServers?: (report: "refused-append" | "reconnect") => void,
) => Promise<Engine>;

export interface RunHostOptions {
  readonly context: DaemonContext;
  readonly openEngine: OpenFleetEngine;
  readonly pool: string;
  readonly max: number;
  /** Where repositories are cloned for sessions. Default: a folder of the data directory. */
  readonly workspacesFolder?: string;
  /** Files with credentials of the fleet, which no agent may read: who has them can approve. */
  readonly loginFiles: readonly string[];
  /** Milliseconds for which agents continue after a signal without this process. With 0, they end as those of a host that died. */
  readonly absence?: number;
  /** Moves all sessions to other hosts of the pool after a signal, when their turns have ended, before the process ends. */
  readonly drains?: boolean;
  /** The address of loopback at which metrics and probes are served. Default: none, and the host has no open port. */
  readonly metricsAddress?: { readonly host: string; readonly port: number };
  /** Called when the host answers and takes work. */
  readonly onReady: (host: string) => void;
}

/** Milliseconds after servers that failed while the host joined again. */
const retryDelay = 1000;
const defaultAbsence = 60_000;

const moveFailures = {
  arrival: "session cannot continue on this host, and others may take it",
  departure: "session stays: no other host takes it",
} as const;

/** Runs a host of a fleet until a signal. Its agents continue: the next process of this data directory drives them. */
export async function runHost({
  context,
  openEngine,
  onReady,
  metricsAddress,
  absence = defaultAbsence,
  drains = false,
  ...options
}: RunHostOptions): Promise<void> {
  const { home, environment } = context;
  home.create();
  using lock = await tryLockFile(home.daemonLock);
  if (lock === null) {
    const message = `Another process has the data directory ${home.folder}: a daemon or a host.`;
    throw new FairleadError("unavailable", `${message} Stop it, or set FAIRLEAD_HOME to another folder.`);
  }
  const host = readHostId(home);
  await using observability = await openObservability({
    environment,
    version: readVersion(environment),
    write: (line) => process.stdout.write(line),
    isFleet: true,
  });
  const { log, fleet } = observability;
  await using opened = await openEngine(host, fleet?.onServers);
  const engine = fleet?.measure(opened) ?? opened;
  let current: FleetHost | undefined;
  await using _metrics =
    metricsAddress &&
    (await serveMetrics({
      listen: metricsAddress,
      metrics: async () => {
        fleet?.updateGauges(current === undefined ? {} : { places: { all: options.max, taken: current.sessionCount } });
        const none = { countSessions: () => Promise.resolve([]), decisions: () => Promise.resolve([]) };
        return await observability.metrics(current?.fairlead ?? none);
      },
      findReasonNotReady: () => findReasonNotReady(current !== undefined, fleet?.heartbeatAge),
      onError: (error) => log.error("metrics failed", error),
    }));
  const stopped = untilSignal();
  let isDraining = false;
  const open = (): Promise<FleetHost> =>
    FleetHost.open({
      isDraining,
      ...localFairleadOptions(context, observability.observer),
      ...options,
      host,
      engine,
      onError: (error) => log.error("the fleet's servers failed a request", error),
      onMoveFailure: ({ session, move, error }) => log.error(moveFailures[move], error, { session }),
      onFreeze: () => {
        log.warn("agents frozen: the servers have not confirmed in time that the host is alive");
        fleet?.onFreeze();
      },
    });
  for (let isFirst = true; ; isFirst = false) {
    await using joined = isFirst ? await open() : await openAgain(open, stopped, log);
    if (joined === undefined) return;
    current = joined;
    let drivesAll = false;
    joined.fairlead.recovery.then(
      ({ sessions, failures }) => {
        drivesAll = failures.length === 0;
        log.info("sessions recovered", { sessions });
      },
      (error: unknown) => log.error("recovery failed", error),
    );
    log.info("host joined");
    if (isFirst) onReady(host);
    // It may have expired while it was opened.
    const lost = joined.lost.aborted ? Promise.resolve() : once(joined.lost, "abort");
    const end = await Promise.race([stopped, lost.then(() => "lost" as const)]);
    log.info("host stopping", { reason: end });
    if (end !== "lost" && drains) {
      const report = await drainUntilSignal(joined);
      if (report === null) log.info("drain ended before its end, by another signal");
      else log.info("host drained", { sessions: report.moved.length });
      // Otherwise agents continue, also those of sessions that this process has not recovered.
      if (report?.left.length === 0 && drivesAll && (await drivesNone(joined))) return;
    }
    if (end !== "lost") return await announceAbsence(joined, absence, log);
    current = undefined;
    ({ isDraining } = joined);
    // The servers were out of reach for too long. Its owner counts as dead, so it joins again as another one.
  }
}

/** Whether the host has no session whose agent may run, also none that it tries to attach to again. */
async function drivesNone({ fairlead }: FleetHost): Promise<boolean> {
  const counts = await fairlead.countSessions().catch(() => null);
  return counts?.every(({ state }) => ["paused", "ended", "damaged"].includes(state)) ?? false;
}

/** Announces that another process of this host follows, so that its agents continue and no session moves. */
async function announceAbsence(
  host: FleetHost,
  milliseconds: number,
  log: Pick<Observability["log"], "info" | "error">,
): Promise<void> {
  try {
    if (milliseconds === 0) return;
    await host.announceAbsence(milliseconds);
    log.info("absence announced", { seconds: milliseconds / 1000 });
  } catch (error) {
    // Agents then end before the servers count the host as dead.
    log.error("the absence could not be announced", error);
  }
}

/** A host freezes its agents at this age of its heartbeat. */
const maxHeartbeatAge = 12;

function findReasonNotReady(hasJoined: boolean, heartbeatAge: number | undefined): string | undefined {
  if (!hasJoined) return "The host has not joined the fleet.";
  if (heartbeatAge === undefined || heartbeatAge <= maxHeartbeatAge) return undefined;
  return `The servers have not confirmed for ${Math.round(heartbeatAge)} s that the host is alive.`;
}

/** Opens the host until the servers allow it. Returns undefined if the process must stop. */
async function openAgain(
  open: () => Promise<FleetHost>,
  stopped: Promise<unknown>,
  log: { error(message: string, error: unknown): void },
): Promise<FleetHost | undefined> {
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!FairleadError.is(error, "unavailable")) throw error;
      log.error("the host cannot join again yet", error);
    }
    const pause = delay(retryDelay, "again" as const);
    if ((await Promise.race([stopped, pause])) !== "again") return undefined;
  }
}

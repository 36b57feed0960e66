import { setTimeout as delay } from "node:timers/promises";
import type { BusCall, Engine, Ticket } from "@fairlead/engine";
import { departedKeepMs } from "@fairlead/runtime";
import { combineObservers, LocalFairlead, type EventObserver, type LocalFairleadOptions } from "@fairlead/service";
import { drainMethod, hostAddress, moveMethod, MoveParams, undoDrainMethod } from "../host-address.ts";
import type { MoveOutcome } from "../move-job.ts";
import { encodeCall, readReply } from "../method-call.ts";
import { answerCall } from "./answer-call.ts";
import { Attendance } from "./attendance.ts";
import { endAbsences } from "./end-absences.ts";
import { removeDepartedSessions, type DepartedSessionsOptions } from "./departed-sessions.ts";
import { Departures, type DrainReport } from "./departures.ts";
import { DrivenSessions } from "./driven-sessions.ts";
import { hasOtherHost } from "./has-other-host.ts";
import { HostDrain } from "./host-drain.ts";
import type { MoveFailure } from "./move-failure.ts";
import { MoveLimit } from "./move-limit.ts";
import { openHostEngine, type HostEngine } from "./open-host-engine.ts";
import { serveSession } from "./serve-session.ts";
import { StartTaker } from "./start-taker.ts";
import { maxArrivals, takeMove } from "./take-move.ts";
import { WorkIntake } from "./work-intake.ts";

export interface FleetHostOptions extends Omit<LocalFairleadOptions, "engine" | "attendance"> {
  /** The engine of the fleet. The caller closes it, after the host. */
  readonly engine: Engine;
  /** Identifies the host in the fleet, also after a restart. */
  readonly host: string;
  /** The pool from which the host takes work. */
  readonly pool: string;
  /** How many sessions the host drives at the same time. It resumes and recovers more, and takes no new ones meanwhile. */
  readonly max: number;
  /** Milliseconds without a confirmation of the servers after which agents are stopped. Default: 12 s. */
  readonly freezeAfter?: number;
  /** Whether the host takes no work until that is undone, because it drained before it joined again. */
  readonly isDraining?: boolean;
  /** Milliseconds without an announcement to the servers after which agents are ended. Default: 18 s. */
  readonly endAfter?: number;
  /** Receives errors that concern no session. Must not throw. */
  readonly onError?: (error: unknown) => void;
  /** Receives each session that could not move to this host or away from it. Default: `onError` receives the error. */
  readonly onMoveFailure?: (failure: MoveFailure) => void;
  /** Called when agents were stopped because the servers had not confirmed in time that the host is alive. Must not throw. */
  readonly onFreeze?: () => void;
}

/** Milliseconds after an error of the queue. */
const retryDelay = 1000;
/** Milliseconds after which a host takes work although it still recovers sessions: one keeper may not respond for long. */
const maxRecoveryWait = 30_000;
/** Milliseconds in which another host must have stopped a session whose parent has ended. */
const stopTimeout = 60_000;
/** Milliseconds between two removals of what sessions that moved away have left. */
const sweepInterval = 6 * 60 * 60 * 1000;

/**
 * A host of a fleet: drives sessions in its data directory as a daemon does, takes starts from its pool while it has room, and
 * answers gateways on the bus. Disposing it releases all sessions and stops none.
 */
export class FleetHost implements AsyncDisposable {
  readonly fairlead: LocalFairlead;
  /**
   * Aborts when the host has expired: it could not announce for too long that it is alive. Dispose it and open it again: it
   * then claims its sessions as another owner, unless another host has taken them.
   */
  readonly lost: AbortSignal;
  readonly #driven: DrivenSessions;
  readonly #attendance: Attendance;
  readonly #drain: HostDrain;
  readonly #resources: AsyncDisposableStack;

  private constructor(parts: {
    readonly fairlead: LocalFairlead;
    readonly lost: AbortSignal;
    readonly driven: DrivenSessions;
    readonly attendance: Attendance;
    readonly drain: HostDrain;
    readonly resources: AsyncDisposableStack;
  }) {
    this.fairlead = parts.fairlead;
    this.lost = parts.lost;
    this.#driven = parts.driven;
    this.#attendance = parts.attendance;
    this.#drain = parts.drain;
    this.#resources = parts.resources;
  }

  static async open({ engine: fleet, host, pool, max, onError, ...options }: FleetHostOptions): Promise<FleetHost> {
    const { freezeAfter = 12_000, endAfter = 18_000 } = options;
    const onFreeze = (): void => {
      if (driven.count > 0) options.onFreeze?.();
    };
    const report = onError ?? (() => {});
    const onFailure = options.onMoveFailure ?? (({ error }: MoveFailure): void => report(error));
    await using opening = new AsyncDisposableStack();
    const lost = new AbortController();
    const engine = opening.use(
      await openHostEngine(
        fleet,
        options.home,
        { pool, capacity: max, ...(options.version !== undefined && { version: options.version }) },
        () => lost.abort(),
      ),
    );
    const driven = new DrivenSessions(max);
    // A session may be recovered, and called, before the service is open.
    const opened = Promise.withResolvers<LocalFairlead>();
    const isAway = (session: string): boolean => departures.isAway(session) || fairlead.hasLeft(session);
    const answer = async (call: BusCall): Promise<unknown> =>
      await answerCall({ fairlead: await opened.promise, log: engine.log, hosts: engine.hosts, isAway }, call);
    // Sessions that are recovered while the host opens do not leave: their departure was given up before.
    let onEvent: EventObserver["onEvent"] = () => {};
    const serving: EventObserver = {
      onEvent: (event) => onEvent(event),
      onDriven: (session) => driven.add(session, serveSession(engine.bus, session, answer)),
    };
    const observer = options.observer === undefined ? serving : combineObservers([options.observer, serving], report);
    const membership = (): HostEngine["hosts"]["membership"] => engine.hosts.membership;
    const appendedAt = (): bigint => engine.log.appendedAt;
    const stopElsewhere = async (session: string, key: string): Promise<unknown> => {
      const call = encodeCall({ method: "stop", args: [session], options: { key } });
      return readReply(await engine.bus.call(session, call, AbortSignal.timeout(stopTimeout)));
    };
    const attendance = opening.use(new Attendance({ membership, appendedAt, freezeAfter, endAfter, onFreeze }));
    const fairlead = opening.use(
      await LocalFairlead.open({ onImageFailure: report, stopElsewhere, ...options, engine, observer, attendance }),
    );
    attendance.start(() => fairlead.attendKeepers());
    void endAbsences(fairlead.recovery, membership).catch(report);
    const closing = new AbortController();
    const departures = new Departures({ engine, fairlead, host, pool, closing: closing.signal, onFailure });
    opened.resolve(fairlead);
    const { waitForRoom, reserve } = driven;
    const arrivals = new MoveLimit(maxArrivals);
    const move = (ticket: Ticket): Promise<MoveOutcome | null> =>
      takeMove(ticket, { fairlead, host, reserve, arrivals, onFailure });
    const taker = new StartTaker({ engine, fairlead, pool, waitForRoom, reserve, takeMove: move, onError: report });
    // Sessions that are being recovered take places, and are not counted yet.
    const take = async (signal: AbortSignal): Promise<void> => {
      await untilRecovered(fairlead.recovery, signal);
      await takeUntilClosed(taker, signal, report);
    };
    const intake = new WorkIntake(take, closing.signal);
    const drain = new HostDrain({
      departures,
      intake,
      list: () => driven.ids,
      untilRecovered: () => untilRecovered(fairlead.recovery, closing.signal),
      hasOthers: () => hasOtherHost(fleet.hosts, { host, pool }),
      announce: async (isDraining) => await membership()?.setDraining(isDraining),
      onError: report,
    });
    onEvent = (event) => drain.onEvent(event);
    const sweeping = sweepUntilClosed(fairlead, { home: options.home, ...engine, driven }, closing.signal, report);
    const close = async (): Promise<void> => {
      closing.abort();
      await intake.settled();
      await sweeping;
    };
    // Before the host takes work: if it cannot be opened, starts that it took would fail on a service that is closed.
    opening.defer(close);
    await drain.begin({ isDraining: options.isDraining ?? false });
    const answerHost = async (call: BusCall): Promise<unknown> => {
      if (call.method === drainMethod) return await drain.run();
      if (call.method === undoDrainMethod) return { wasDraining: await drain.undo() };
      if (call.method !== moveMethod) return await answer(call);
      const { session } = MoveParams.parse(call.params);
      return await departures.leave(session);
    };
    // Calls that have begun are answered before the sessions are released.
    opening.use(await engine.bus.serve(hostAddress(host), Date.now(), answerHost));
    // A drain or a move is such a call, and ends when the host closes.
    opening.defer(close);
    return new FleetHost({ fairlead, lost: lost.signal, driven, attendance, drain, resources: opening.move() });
  }

  /**
   * Takes no more work, and lets all sessions move to other hosts of the pool when their turns have ended. Those that no host
   * takes stay and continue. With a signal, the process stops after that, and the drain cannot be undone.
   */
  async drain(signal?: AbortSignal): Promise<DrainReport> {
    return await this.#drain.run(signal);
  }

  /** Whether the host takes no more work, since a drain that was not undone. */
  get isDraining(): boolean {
    return this.#drain.isDraining;
  }

  /**
   * Takes work again after a drain. A drain that has not ended throws `conflict`, and sessions that have not moved stay. Throws
   * `conflict` if the process stops.
   */
  async undoDrain(): Promise<void> {
    await this.#drain.undo();
  }

  /**
   * Announces that this process stops, and that another one of this host follows within some milliseconds. Agents continue for
   * as long, and no session moves. Throws `unavailable` if that cannot be stored.
   */
  async announceAbsence(milliseconds: number): Promise<void> {
    await this.#attendance.announceAbsence(milliseconds);
  }

  /** The number of sessions that the host drives or starts now. */
  get sessionCount(): number {
    return this.#driven.count;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
    await this.#driven.settled();
  }
}

async function untilRecovered(recovery: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const settled = new AbortController();
  const stop = AbortSignal.any([signal, settled.signal]);
  const late = delay(maxRecoveryWait, undefined, { signal: stop }).catch(() => {});
  await Promise.race([recovery.catch(() => {}), late]);
  settled.abort();
}

async function takeUntilClosed(
  taker: StartTaker,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await taker.take(signal);
    } catch (error) {
      onError(error);
      await delay(retryDelay, undefined, { signal }).catch(() => {});
    }
  }
}

/** Removes what sessions that moved away have left, once the sessions of this host are recovered and then from time to time. */
async function sweepUntilClosed(
  fairlead: LocalFairlead,
  parts: Omit<DepartedSessionsOptions, "keepFor" | "onError">,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<void> {
  await untilRecovered(fairlead.recovery, signal);
  while (!signal.aborted) {
    await removeDepartedSessions({ ...parts, keepFor: departedKeepMs, onError }, signal).catch(onError);
    await delay(sweepInterval, undefined, { signal, ref: false }).catch(() => {});
    if (!signal.aborted) await fairlead.sweep();
  }
}

import { FairleadError, type Event } from "@fairlead/contract";
import type { Engine, Membership } from "@fairlead/engine";
import type { EventObserver } from "@fairlead/service";
import type { Registry } from "prom-client";
import { createFleetInstruments } from "./fleet-metric-definitions.ts";

/** What the gauges of a host or gateway show at the time of a request. A part that is absent is not shown. */
export interface FleetGauges {
  /** Sessions that the host may drive at the same time, and those that it drives. */
  readonly places?: { readonly all: number; readonly taken: number };
  /** Hosts that count as alive, by pool. */
  readonly hosts?: Readonly<Record<string, number>>;
  /** Jobs that no host has ended. */
  readonly queueWaiting?: number;
}

/** The metrics of a host or gateway of a fleet, beside those of the service. */
export class FleetMetrics implements EventObserver {
  readonly #instruments;
  #membership: Membership | undefined;
  /** Sessions that came from another host and whose agent has not continued yet. */
  readonly #arriving = new Set<string>();

  constructor(registry: Registry) {
    this.#instruments = createFleetInstruments(registry);
    for (const outcome of ["stored", "fenced", "failed"]) this.#instruments.appends.inc({ outcome }, 0);
    this.#removePlainGauges();
  }

  /** Returns the engine with appends and memberships measured. */
  measure(engine: Engine): Engine {
    const { log, hosts } = engine;
    const append: Engine["log"]["append"] = async (batch, fence) => {
      const mayArrive = await takesFromElsewhere(engine, batch);
      const start = performance.now();
      try {
        const next = await log.append(batch, fence);
        this.#instruments.appendSeconds.observe((performance.now() - start) / 1000);
        this.#instruments.appends.inc({ outcome: "stored" });
        if (mayArrive) this.#arriving.add(batch.session);
        return next;
      } catch (error) {
        this.#instruments.appends.inc({ outcome: FairleadError.is(error, "fenced") ? "fenced" : "failed" });
        throw error;
      }
    };
    const join: Engine["hosts"]["join"] = async (host) => (this.#membership = await hosts.join(host));
    return { ...engine, log: override(log, { append }), hosts: override(hosts, { join }) };
  }

  /** Counts what the connection to the servers reports. */
  readonly onServers = (report: "refused-append" | "reconnect"): void => {
    if (report === "reconnect") this.#instruments.reconnects.inc();
    else this.#instruments.refused.inc();
  };

  /** Counts a freeze of the agents of this host. */
  onFreeze(): void {
    this.#instruments.freezes.inc();
  }

  /** Counts a session that no host could take. A gateway asks again later. */
  onRefusedMove(): void {
    this.#instruments.moves.inc({ outcome: "refused" });
  }

  /**
   * Counts the sessions that came from another host, when it is known how their conversation continued. Those that pause to move
   * and continue on this host are not counted.
   */
  onEvent({ session, body }: Event): void {
    if (body.type === "session.resumed" && this.#arriving.delete(session))
      this.#instruments.moves.inc({ outcome: body.outcome });
    else if (body.type === "session.ended" && this.#arriving.delete(session))
      this.#instruments.moves.inc({ outcome: "ended" });
  }

  /** The seconds since the servers stored that this host is alive; undefined before it has joined. */
  get heartbeatAge(): number | undefined {
    const confirmedAt = this.#membership?.confirmedAt();
    return confirmedAt === undefined ? undefined : Number(process.hrtime.bigint() - confirmedAt) / 1e9;
  }

  /** Sets the gauges before the metrics are rendered. */
  updateGauges({ places, hosts, queueWaiting }: FleetGauges): void {
    const instruments = this.#instruments;
    for (const gauge of [instruments.places, instruments.hosts]) gauge.reset();
    this.#removePlainGauges();
    const { heartbeatAge } = this;
    if (heartbeatAge !== undefined) instruments.heartbeatAge.set(heartbeatAge);
    for (const [kind, count] of Object.entries(places ?? {})) instruments.places.set({ kind }, count);
    for (const [pool, count] of Object.entries(hosts ?? {})) instruments.hosts.set({ pool }, count);
    if (queueWaiting !== undefined) instruments.queueWaiting.set(queueWaiting);
  }

  /**
   * Removes the gauges without labels. They are 0 when they are created and when they are reset: a gateway would show the age
   * of no heartbeat, and a host an empty queue.
   */
  #removePlainGauges(): void {
    for (const gauge of [this.#instruments.heartbeatAge, this.#instruments.queueWaiting]) gauge.remove();
  }
}

/** Whether a batch claims a session that has begun on another host. */
async function takesFromElsewhere(
  { log, hosts }: Engine,
  batch: Parameters<Engine["log"]["append"]>[0],
): Promise<boolean> {
  if (batch.events.length > 0 || batch.notes !== undefined || batch.first === 1) return false;
  // What cannot be read now is not counted. The append reports the error.
  return await log.tail(batch.session).then(
    ({ owner }) => hosts.isElsewhere(owner),
    () => false,
  );
}

/** Returns an object with some methods replaced. The others run on the object itself, which has private fields. */
function override<Target extends object>(target: Target, replaced: Partial<Target>): Target {
  return new Proxy(target, {
    get(_, key) {
      if (Object.hasOwn(replaced, key)) return Reflect.get(replaced, key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

import { Counter, Gauge, Histogram, type Registry } from "prom-client";

const appendBuckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/** Creates the metrics of a host or gateway. `docs/build/fleet-runbook.md` has a row for each, which a test checks. */
export function createFleetInstruments(registry: Registry) {
  const registers = [registry];
  return {
    appends: new Counter({
      name: "fairlead_appends_total",
      help: "Batches that this host appended to the log. Fenced: another host has the session. Failed: the servers did not answer.",
      labelNames: ["outcome"],
      registers,
    }),
    appendSeconds: new Histogram({
      name: "fairlead_append_seconds",
      help: "Time until the servers had stored a batch.",
      buckets: appendBuckets,
      registers,
    }),
    refused: new Counter({
      name: "fairlead_refused_appends_total",
      help: "Messages that the servers refused or did not answer, before the log looked at what is stored.",
      registers,
    }),
    reconnects: new Counter({
      name: "fairlead_reconnects_total",
      help: "Connections to the servers that were lost and are there again.",
      registers,
    }),
    heartbeatAge: new Gauge({
      name: "fairlead_heartbeat_age_seconds",
      help: "Time since the servers stored that this host is alive. It expires after 20.",
      registers,
    }),
    places: new Gauge({
      name: "fairlead_host_places",
      help: "Sessions that this host may drive at the same time, and those that it drives.",
      labelNames: ["kind"],
      registers,
    }),
    hosts: new Gauge({
      name: "fairlead_hosts",
      help: "Hosts that count as alive, by pool.",
      labelNames: ["pool"],
      registers,
    }),
    queueWaiting: new Gauge({
      name: "fairlead_queue_waiting",
      help: "Jobs that no host has ended.",
      registers,
    }),
    moves: new Counter({
      name: "fairlead_moves_total",
      help: "Sessions that came from another host, by how their conversation continued. Refused: no host could take it, tried again later.",
      labelNames: ["outcome"],
      registers,
    }),
    freezes: new Counter({
      name: "fairlead_freezes_total",
      help: "Times that this host froze its agents because the servers were out of reach.",
      registers,
    }),
  };
}

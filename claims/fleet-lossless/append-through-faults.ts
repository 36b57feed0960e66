/**
 * Appends with 50 sessions to a log on three servers while leaders are killed, paused and cut off, and then reads the whole
 * log: `scripts/offline node claims/fleet-lossless/append-through-faults.ts`. `FAIRLEAD_SEED` repeats the order of the faults.
 * Prints a `FaultRun` as JSON. If the log has a fault, it keeps the servers' stores and the record of all appends.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createFleetStreams, openNatsLog } from "@fairlead/nats";
import { NatsCluster } from "@fairlead/testing/nats/nats-cluster.ts";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { injectFault, shuffleFaults, type Fault } from "./inject-fault.ts";
import { addFaults, hasFaults, LogChecker, noFaults, type LogFaults } from "./log-checker.ts";
import { SessionAppender } from "./session-appender.ts";

export interface FaultRun {
  readonly seed: number;
  readonly seconds: number;
  readonly sessions: number;
  readonly injected: readonly Fault[];
  readonly acknowledged: number;
  /** The appends that only the tail decided, and those of them that were stored. */
  readonly undecided: number;
  readonly foundStored: number;
  readonly fenced: number;
  /** The longest time between two acknowledgments of a session while there was a fault, in seconds. */
  readonly longestGaps: Readonly<Partial<Record<Fault, number>>>;
  readonly faults: LogFaults;
  /** What ended the run early, or null. */
  readonly failure: string | null;
  /** Where the recording is, if the log has a fault or the run ended early. */
  readonly recording: string | null;
}

const sessionCount = 50;
const wantedEvents = 1_050_000;
const advanceLimit = 120_000;
const namespace = "lossless";

const random = SeededRandom.fromEnvironment();
const startedAt = performance.now();
const records: object[] = [];
await using cluster = await NatsCluster.startInNamespaces({ nodes: 3 });
// One connection begins at each node, so that every leader has clients of its own when it is cut off from its peers.
const connections = await Promise.all(cluster.servers.map((_, node) => openConnection(node)));
await using closing = new AsyncDisposableStack();
for (const connection of connections) closing.defer(() => connection.close());
const { created: streams } = await createFleetStreams(connectionOf(0), { namespace, replicas: 3 });
const logs = await Promise.all(connections.map((connection) => openNatsLog({ connection, namespace })));
const appenders = Array.from({ length: sessionCount }, (_, index) => {
  const journal = logs[index % logs.length];
  if (journal === undefined) throw new Error("There is no log.");
  const record = (entry: object): void => void records.push(entry);
  return new SessionAppender(`session-${index}`, { journal, record, random: new SeededRandom(random.seed + index) });
});

const stopping = new AbortController();
const running = Promise.all(appenders.map((appender) => appender.run(stopping.signal)));
const injected: Fault[] = [];
const longestGaps: Partial<Record<Fault, number>> = {};
const failure = await Promise.race([injectFaults(), running.then(() => null)]).then(
  () => null,
  (error: unknown) => String(error),
);
stopping.abort();
// After a failure the other sessions still end, so that what they know can be compared with the log.
const ended = await Promise.allSettled([running]);
const faults = failure === null ? await checkLog() : noFaults;
const problem = failure ?? ended.find((end) => end.status === "rejected")?.reason ?? null;
const result: FaultRun = {
  seed: random.seed,
  seconds: Math.round((performance.now() - startedAt) / 1000),
  sessions: sessionCount,
  injected,
  acknowledged: sum((appender) => appender.acknowledged),
  undecided: sum((appender) => appender.undecided),
  foundStored: sum((appender) => appender.foundStored),
  fenced: sum((appender) => appender.fenced),
  longestGaps,
  faults,
  failure: problem === null ? null : String(problem),
  recording: problem !== null || hasFaults(faults) ? await keepRecording() : null,
};
console.log(JSON.stringify(result));

async function injectFaults(): Promise<void> {
  const order = shuffleFaults(random);
  for (const fault of order) {
    // The events are spread over the run, so that each fault meets sessions that write.
    const wanted = (wantedEvents * (injected.length + 1)) / (order.length + 1);
    await Promise.all([advance(), waitUntil(() => sum((appender) => appender.acknowledged) >= wanted, 300_000)]);
    const stream = streams[random.nextBelow(streams.length)] ?? "";
    takeLongestGap();
    const at = Math.round(performance.now());
    records.push({ at, fault, stream });
    const node = await injectFault(fault, { cluster, stream, advance });
    records.push({ at: Math.round(performance.now()), fault, node, state: "ended" });
    injected.push(fault);
    await advance();
    const gap = takeLongestGap();
    longestGaps[fault] = Math.max(longestGaps[fault] ?? 0, gap);
    console.error(`${fault} (${stream}, node ${node}): a session waited ${gap} s at most`);
  }
  await Promise.all([advance(), waitUntil(() => sum((appender) => appender.acknowledged) >= wantedEvents, 300_000)]);
}

function takeLongestGap(): number {
  return Math.round(Math.max(...appenders.map((appender) => appender.takeLongestGap())) / 100) / 10;
}

/** Waits until each session has appended again. */
async function advance(exceptNode?: number): Promise<void> {
  const excepted = exceptNode === undefined ? undefined : cluster.servers[exceptNode];
  const waiting = appenders
    .filter((_, index) => connectionOf(index % connections.length).getServer() !== excepted)
    .map((appender) => ({ appender, before: appender.acknowledged }));
  await waitUntil(() => waiting.every(({ appender, before }) => appender.acknowledged > before), advanceLimit);
}

async function waitUntil(isTrue: () => boolean, limit: number): Promise<void> {
  const end = performance.now() + limit;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error(`The sessions did not continue within ${limit / 1000} s.`);
    await delay(50);
  }
}

/** Reads all events of all sessions through a new connection. */
async function checkLog(): Promise<LogFaults> {
  await using connection = await openConnection(0);
  await using log = await openNatsLog({ connection, namespace, timeout: 60_000 });
  let all = noFaults;
  for (const { session, acknowledged } of appenders) {
    const checker = new LogChecker(session);
    for await (const batch of log.read(session, 0)) checker.add(batch);
    all = addFaults(all, checker.finish(acknowledged));
  }
  return all;
}

async function keepRecording(): Promise<string> {
  const folder = join(import.meta.dirname, "../../.tmp", `fleet-lossless-${random.seed}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "appends.jsonl"), records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  const known = appenders.map(({ session, acknowledged }) => ({ session, acknowledged }));
  writeFileSync(join(folder, "acknowledged.json"), JSON.stringify(known));
  await cluster.save(join(folder, "servers"));
  return folder;
}

async function openConnection(node: number): Promise<NatsConnection> {
  const servers = [...cluster.servers.slice(node), ...cluster.servers.slice(0, node)];
  return await connect({
    servers,
    ...cluster.application,
    noRandomize: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 2000,
    maxPingOut: 2,
    timeout: 2000,
  });
}

function connectionOf(index: number): NatsConnection {
  const connection = connections[index];
  if (connection === undefined) throw new Error(`There is no connection ${index}.`);
  return connection;
}

function sum(valueOf: (appender: SessionAppender) => number): number {
  return appenders.reduce((total, appender) => total + valueOf(appender), 0);
}

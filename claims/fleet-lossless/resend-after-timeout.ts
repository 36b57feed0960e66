/**
 * The control of `fleet-lossless`: writers that take a missing answer for a failure, and send their events again as a new
 * message, while leaders are killed: `scripts/offline node claims/fleet-lossless/resend-after-timeout.ts`. Prints a
 * `ResendRun` as JSON.
 */
import { setTimeout as delay } from "node:timers/promises";
import { NatsCluster } from "@fairlead/testing/nats/nats-cluster.ts";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { addFaults, LogChecker, noFaults, writeEvent, type LogFaults } from "./log-checker.ts";

export interface ResendRun {
  readonly kills: number;
  readonly acknowledged: number;
  readonly faults: LogFaults;
}

const sessionCount = 50;
const mostKills = 6;
const stream = "control";
const answerLimit = 500;

await using cluster = await NatsCluster.start({ nodes: 3 });
await using connection = await connect({
  servers: [...cluster.servers],
  ...cluster.application,
  maxReconnectAttempts: -1,
  reconnectTimeWait: 100,
});
const manager = await jetstreamManager(connection, { timeout: 5000 });
await manager.streams.add({ name: stream, subjects: [`${stream}.*`], num_replicas: 3 });
const client = jetstream(connection, { timeout: answerLimit });
const acknowledged = new Map<string, number>();
const stopping = new AbortController();
const running = Promise.all(Array.from({ length: sessionCount }, (_, index) => write(`session-${index}`)));

let kills = 0;
let faults = noFaults;
while (kills < mostKills && faults.doubled === 0) {
  await advance();
  const leader = await cluster.findLeader(stream);
  await cluster.kill(leader);
  kills++;
  await advance();
  cluster.restart(leader);
  await cluster.waitUntilReady();
  faults = await check();
}
stopping.abort();
await running;
const result: ResendRun = { kills, acknowledged: countAcknowledged(), faults: await check() };
console.log(JSON.stringify(result));

/** Sends one event after the other. Each follows the last message of the session, so that only the resending doubles. */
async function write(session: string): Promise<void> {
  const subject = `${stream}.${session}`;
  let last = 0;
  for (let number = 1; !stopping.signal.aborted; number++) {
    for (;;) {
      try {
        const expect = { lastSubjectSequence: last };
        last = (await client.publish(subject, writeEvent(session, number), { expect })).seq;
        acknowledged.set(session, number);
        break;
      } catch {
        last = await readLast(subject);
      }
    }
  }
}

async function readLast(subject: string): Promise<number> {
  for (;;) {
    try {
      return (await manager.streams.getMessage(stream, { last_by_subj: subject }))?.seq ?? 0;
    } catch {
      await delay(50);
    }
  }
}

async function advance(): Promise<void> {
  const before = new Map(acknowledged);
  const hasAdvanced = (): boolean =>
    acknowledged.size === sessionCount &&
    [...acknowledged].every(([session, number]) => number > (before.get(session) ?? 0));
  while (!hasAdvanced()) await delay(20);
}

/** Checks what is stored now. Events under way may be in the log already, so only doubled ones count before the end. */
async function check(): Promise<LogFaults> {
  const known = new Map(acknowledged);
  const checkers = new Map(
    [...known.keys()].map((session) => [session, { checker: new LogChecker(session), next: 1 }]),
  );
  const { state } = await manager.streams.info(stream);
  const consumer = await client.consumers.get(stream);
  let remaining = state.messages;
  for await (const message of await consumer.consume()) {
    const entry = checkers.get(message.subject.slice(stream.length + 1));
    entry?.checker.add({ epoch: 1, first: entry.next++, events: [message.data] });
    if (--remaining === 0) break;
  }
  return [...checkers].reduce(
    (total, [session, { checker }]) => addFaults(total, checker.finish(known.get(session) ?? 0)),
    noFaults,
  );
}

function countAcknowledged(): number {
  return [...acknowledged.values()].reduce((total, number) => total + number, 0);
}

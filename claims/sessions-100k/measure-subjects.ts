import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Journal } from "@fairlead/journal";
import type { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { quantile } from "../../measure/quantile.ts";

export interface SubjectFigures {
  readonly claimsPerSecond: number;
  /** Resident memory of the largest server, in megabytes: before the sessions, and with them. */
  readonly emptyMegabytes: number;
  readonly rssMegabytes: number;
  readonly tailP50: number;
  readonly tailP99: number;
}

const writersAtOnce = 64;
const readers = 2;
const readsPerReader = 200;
/** Other processes of the machine make some rounds slower. All count. */
const rounds = 6;
const roundPause = 2_000;
/** Servers give memory back some seconds after a load. */
const restSeconds = 15;

/** Creates the log of many sessions, each with an event, and reads ends of sessions at random. */
export async function measureSubjects(
  bench: NatsLogBench,
  namespace: string,
  sessions: number,
): Promise<SubjectFigures> {
  const emptyMegabytes = largestRss(bench.cluster.pids);
  await using log = await bench.open(namespace, undefined, 60_000);
  const start = performance.now();
  let created = 0;
  const create = async (): Promise<void> => {
    while (created < sessions) await createSession(log, sessionName(created++));
  };
  await Promise.all(Array.from({ length: writersAtOnce }, create));
  const claimsPerSecond = (sessions / (performance.now() - start)) * 1_000;
  await delay(restSeconds * 1_000);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await delay(roundPause);
    times.push(...(await readEnds(log, sessions, round)));
  }
  return {
    claimsPerSecond,
    emptyMegabytes,
    rssMegabytes: largestRss(bench.cluster.pids),
    tailP50: quantile(times, 0.5),
    tailP99: quantile(times, 0.99),
  };
}

/** Returns the milliseconds of each read. */
async function readEnds(log: Journal, sessions: number, round: number): Promise<readonly number[]> {
  const times: number[] = [];
  const read = async (reader: number): Promise<void> => {
    for (let n = 0; n < readsPerReader; n++) {
      const session = sessionName((((round * readers + reader) * readsPerReader + n) * 7_919) % sessions);
      const before = performance.now();
      const { last } = await log.tail(session);
      times.push(performance.now() - before);
      if (last !== 1) throw new Error(`${session} has ${last} events.`);
    }
  };
  await Promise.all(Array.from({ length: readers }, (_, reader) => read(reader)));
  return times;
}

const sessionName = (n: number): string => `session-${n.toString(36)}`;

async function createSession(log: Journal, session: string): Promise<void> {
  const owner = JSON.stringify({ host: "h1", instance: "0123456789abcdef" });
  const { epoch, fence } = await log.claim(session, owner);
  await log.append(
    { session, epoch, first: 1, events: [Buffer.from(`{"type":"session.started","n":"${session}"}`)], owner },
    fence,
  );
}

function largestRss(pids: readonly number[]): number {
  const sizes = pids.map((pid) => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]));
  return Math.max(...sizes) / 1_024;
}

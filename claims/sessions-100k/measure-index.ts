import { createIndexBuckets, openNatsIndex } from "@fairlead/nats";
import type { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { setTimeout as delay } from "node:timers/promises";
import { ChildProgram } from "../../measure/child-program.ts";
import type { IndexLoad, IndexReaderTask, IndexReads } from "./index-reader.ts";
import { createIndexRow } from "./index-rows.ts";

export interface IndexMeasurement {
  readonly bench: NatsLogBench;
  readonly sessions: number;
  readonly putsPerSecond: number;
  readonly seconds: number;
}

export interface IndexFigures {
  readonly fillPerSecond: number;
  readonly bytesPerContent: number;
  readonly load: IndexLoad;
  readonly reads: IndexReads;
  /** The rows that were written while the reader read pages. */
  readonly putsPerSecond: number;
}

const writersAtOnce = 32;
const namespace = "index";
/** The first two are those of the daemon: with Node's defaults, the heap takes 100 MB more after a load. */
const readerFlags = ["--max-semi-space-size=8", "--heap-growing-percent=30", "--expose-gc"];

/** Measures how a new process reads an index of many sessions, and its pages while rows change. */
export async function measureIndex(options: IndexMeasurement): Promise<IndexFigures> {
  const { bench, sessions, putsPerSecond, seconds } = options;
  const connection = await bench.connect();
  await createIndexBuckets(connection, { namespace, replicas: bench.nodes });
  await using index = await openNatsIndex({ connection, namespace, contentVersion: 1 });
  const start = performance.now();
  let filled = 0;
  let bytes = 0;
  const fill = async (): Promise<void> => {
    while (filled < sessions) {
      const row = createIndexRow(filled++);
      bytes += row.content.length;
      // A server on a machine that does other things may not answer for some seconds.
      await index.put(row).catch(() => index.put(row));
    }
  };
  await Promise.all(Array.from({ length: writersAtOnce }, fill));
  const fillPerSecond = (sessions / (performance.now() - start)) * 1_000;
  const { servers, application } = bench.cluster;
  const login = { servers, user: application.user, password: application.pass };
  const task: IndexReaderTask = { connection: login, namespace, sessions };
  const program = new URL("index-reader.ts", import.meta.url);
  await using reader = new ChildProgram(program, task, { nodeFlags: readerFlags });
  const load = await reader.readJson<IndexLoad>();
  reader.writeLine("read");
  let count = 0;
  const readsStart = performance.now();
  const passed = (): number => (performance.now() - readsStart) / 1_000;
  while (passed() < seconds) {
    const due = Math.floor(passed() * putsPerSecond) - count;
    const rows = Array.from({ length: due }, (_, n) => createIndexRow(((count + n) * 7919) % sessions, 41 + count));
    count += due;
    await Promise.all(rows.map((row) => index.put(row)));
    await delay(5);
  }
  const writtenPerSecond = count / passed();
  reader.writeLine("stop");
  const reads = await reader.readJson<IndexReads>();
  return { fillPerSecond, bytesPerContent: bytes / sessions, load, reads, putsPerSecond: writtenPerSecond };
}

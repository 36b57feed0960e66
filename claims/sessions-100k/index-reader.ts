import type { SessionPageOptions, SessionRowQuery } from "@fairlead/journal";
import { connectToNats, openNatsIndex, type NatsConnectionOptions } from "@fairlead/nats";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { quantile } from "../../measure/quantile.ts";
import { createIndexRow } from "./index-rows.ts";

/** A process of its own that reads the index, as a gateway does. */
export interface IndexReaderTask {
  readonly connection: NatsConnectionOptions;
  readonly namespace: string;
  readonly sessions: number;
}

/** The first line that the reader prints, once it has the index. */
export interface IndexLoad {
  readonly seconds: number;
  /** The time of processors that the reader used, which does not depend on what else the machine does. */
  readonly cpuSeconds: number;
  readonly rssMegabytes: number;
  /** The growth of the heap and of memory outside it by the index, after a garbage collection. */
  readonly grownMegabytes: number;
  readonly rows: number;
}

/** Milliseconds. */
export interface ReadTimes {
  readonly median: number;
  readonly p99: number;
  readonly max: number;
  /** The same without the time in which the machine ran other processes. */
  readonly cpuP99: number;
  readonly cpuMax: number;
}

/** The second line: pages and counts while rows changed. */
export interface IndexReads {
  readonly pages: number;
  readonly page: ReadTimes;
  readonly count: ReadTimes;
  readonly rssMegabytes: number;
}

class Stopwatch {
  readonly #passed: number[] = [];
  readonly #used: number[] = [];

  get count(): number {
    return this.#passed.length;
  }

  get times(): ReadTimes {
    const [median, p99, max] = [0.5, 0.99, 1].map((share) => round(quantile(this.#passed, share)));
    const [cpuP99, cpuMax] = [0.99, 1].map((share) => round(quantile(this.#used, share)));
    return { median, p99, max, cpuP99, cpuMax } as ReadTimes;
  }

  async measure(action: () => Promise<unknown>): Promise<void> {
    const start = performance.now();
    const before = process.threadCpuUsage();
    await action();
    const { user, system } = process.threadCpuUsage(before);
    this.#passed.push(performance.now() - start);
    this.#used.push((user + system) / 1_000);
  }
}

const round = (milliseconds: number): number => Math.round(milliseconds * 100) / 100;
const megabyte = 1 << 20;
const usedMemory = (): number => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / megabyte;
};
const rssMegabytes = (): number => Math.round(process.memoryUsage.rss() / megabyte);

const task = JSON.parse(process.argv[2] ?? "") as IndexReaderTask;
const connection = await connectToNats(task.connection);
const index = await openNatsIndex({ connection, namespace: task.namespace, contentVersion: 1 });
const before = usedMemory();
const start = performance.now();
const cpuBefore = process.cpuUsage();
await index.page({});
const seconds = (performance.now() - start) / 1_000;
const { user, system } = process.cpuUsage(cpuBefore);
const cpuSeconds = (user + system) / 1e6;
const rss = rssMegabytes();
const counts = await index.count({});
const rows = counts.reduce((sum, { count }) => sum + count, 0);
const grownMegabytes = Math.round(usedMemory() - before);
print({ seconds, cpuSeconds, rssMegabytes: rss, grownMegabytes, rows } satisfies IndexLoad);

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
await lines.next();
const stop = new AbortController();
void lines.next().then(() => stop.abort());
const pages = new Stopwatch();
const countings = new Stopwatch();
for (let n = 0; !stop.signal.aborted; n++) {
  const [query, options] = queryOf(n);
  await pages.measure(() => index.page(query, options));
  await countings.measure(() => index.count(n % 2 === 0 ? {} : query));
  await delay(10);
}
const reads = { pages: pages.count, page: pages.times, count: countings.times, rssMegabytes: rssMegabytes() };
print(reads satisfies IndexReads);
await index[Symbol.asyncDispose]();
await connection.close();
process.exit();

function queryOf(n: number): [SessionRowQuery, SessionPageOptions] {
  const row = createIndexRow((n * 7919) % task.sessions);
  const queries: [SessionRowQuery, SessionPageOptions][] = [
    [{}, {}],
    [{ states: ["waiting"] }, {}],
    [{ states: ["idle", "working", "waiting"] }, {}],
    [{ unfinished: true }, { order: "session" }],
    [{ name: row.name ?? "none" }, {}],
    [{ agentSessionId: row.agentSessionId ?? "" }, {}],
    [{ prefix: row.session.slice(0, 3) }, {}],
    [{ workspace: row.workspace, states: ["ended"] }, { order: "session" }],
    [{ agent: "beta", until: row.lastAt }, {}],
    // Nothing matches, and no structure says so: all rows are looked at.
    [{ agent: "beta", workspace: row.workspace, states: ["ended"], unfinished: true }, {}],
    [{ agent: "beta", states: ["ended"], unfinished: true, since: "2026-01-01" }, {}],
  ];
  return queries[n % queries.length] ?? [{}, {}];
}

function print(figures: IndexLoad | IndexReads): void {
  console.log(JSON.stringify(figures));
}

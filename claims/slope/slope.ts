import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import type { Journal, SessionIndex } from "@fairlead/journal";
import { createIndexBuckets, openNatsIndex } from "@fairlead/nats";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { findNatsProgram, readNatsVersion } from "@fairlead/testing/nats/nats-program.ts";
import { jetstreamManager } from "@nats-io/jetstream";
import type { Claim } from "../../measure/claim.ts";
import { median } from "../../measure/quantile.ts";
import { costOfFrame, type MeasuredCosts } from "../../packages/cli/src/commands/fleet/plan/measured-costs.ts";
import { planFleet } from "../../packages/cli/src/commands/fleet/plan/plan-fleet.ts";
import { runQuietly } from "../../scripts/run.ts";
import { createIndexRow } from "../sessions-100k/index-rows.ts";
import { appendFrames, eventsPerFrame } from "./append-frames.ts";
import { measureIdle, measureWork } from "./server-time.ts";

const streamCounts = [1, 4, 16];
/** One comes first: its time decides the pause of less than one. */
const inFlightCounts = [1, 0.25, 4, 16];
const seconds = 4;
/** The load that is predicted: sessions of 16 streams, each of which appends a frame so often. */
const paced = { streams: 16, perStream: 6, pace: 250 };
const factor = 2;
/** Measured by `sessions-100k`: memory of a server with 100,000 sessions, for each. */
const bytesPerSession = 2_800;

export const resultFile = join(import.meta.dirname, "../../.cache/slope.json");

export const slope: Claim = {
  id: "slope",
  statement: "`fairlead fleet plan` predicts how busy the servers of a fleet are from what frames cost them.",
  bound: `three servers that sync each write, frames of ${eventsPerFrame} events: the processors that ${paced.streams * paced.perStream} sessions with a frame every ${paced.pace} ms keep busy are within a factor of ${factor} of the plan from the costs by streams × appends in flight of the same run; control: a plan with the cost at ${Math.max(...inFlightCounts)} in flight for all is not`,
  async prove() {
    const installed = await runQuietly("node", ["scripts/install-nats.ts"]);
    if (installed.code !== 0) throw new Error(installed.output);
    await using bench = await NatsLogBench.start(3);
    const costs = await measureCosts(bench);
    mkdirSync(join(resultFile, ".."), { recursive: true });
    writeFileSync(resultFile, `${JSON.stringify(costs, null, 2)}\n`);
    const { predicted, control, measured } = await measurePrediction(bench, costs);
    const ratio = predicted / measured;
    const controlRatio = control / measured;
    const isClose = (one: number): boolean => one >= 1 / factor && one <= factor;
    const table = streamCounts.map((streams) => {
      const row = inFlightCounts.map((inFlight) => `${costOfFrame(costs, streams, inFlight).toFixed(0)} µs`);
      return `${streams} streams ${row.join(", ")}`;
    });
    return {
      measured:
        `per frame with ${inFlightCounts.join(", ")} in flight per stream: ${table.join("; ")}; row of the index ` +
        `${costs.rowMicroseconds.toFixed(0)} µs; append ${costs.appendMilliseconds.toFixed(1)} ms; ` +
        `${costs.bytesPerFrame.toFixed(0)} bytes a frame and ${costs.bytesPerEvent.toFixed(0)} an event; predicted ` +
        `${predicted.toFixed(3)} cores, measured ${measured.toFixed(3)} (${ratio.toFixed(2)}); control ` +
        `${control.toFixed(3)} (${controlRatio.toFixed(2)})`,
      holds: isClose(ratio) && !isClose(controlRatio),
    };
  },
};

async function measureCosts(bench: NatsLogBench): Promise<MeasuredCosts> {
  const { pids } = bench.cluster;
  const namespaces = new Map<number, string>();
  for (const streams of streamCounts) namespaces.set(streams, await bench.createNamespace(streams));
  const idle = await measureIdle(pids, seconds);
  const frames: MeasuredCosts["frames"] = [];
  let appendMilliseconds = 0;
  for (const [streams, namespace] of namespaces) {
    await using log = await bench.open(namespace);
    // Warms up servers and code, and does not count.
    await appendFrames(log, { namespace, streams, perStream: 4, seconds: 1, run: "warm" });
    let milliseconds = 0;
    for (const inFlight of inFlightCounts) {
      const options = { namespace, streams, perStream: Math.ceil(inFlight), seconds, run: `run-${inFlight}` };
      // Less than one in flight: a pause follows each append.
      const pause = inFlight < 1 ? { pace: milliseconds / inFlight } : {};
      let times: readonly number[] = [];
      const { count, busySeconds } = await measureWork(pids, idle, async () => {
        const appended = await appendFrames(log, { ...options, ...pause });
        times = appended.milliseconds;
        return appended.count;
      });
      if (inFlight === 1) milliseconds = median(times);
      frames.push({ streams, inFlight, microseconds: Math.round((busySeconds / count) * 1e6) });
    }
    appendMilliseconds = milliseconds;
  }
  const rowMicroseconds = await measureRows(bench, idle);
  const bytes = await measureBytes(bench);
  return {
    machine: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, three servers and the client on it`,
    measuredAt: new Date().toISOString().slice(0, 10),
    server: (await readNatsVersion(findNatsProgram("current"))) ?? "unknown",
    eventsPerFrame,
    ...bytes,
    appendMilliseconds: Math.round(appendMilliseconds * 100) / 100,
    rowMicroseconds,
    bytesPerSession,
    frames,
  };
}

/** Measures what a row of the index costs the servers, with 16 writers. */
async function measureRows(bench: NatsLogBench, idle: number): Promise<number> {
  const connection = await bench.connect();
  const namespace = "rows";
  await createIndexBuckets(connection, { namespace, replicas: 3 });
  await using index: SessionIndex = await openNatsIndex({ connection, namespace, contentVersion: 1 });
  const { count, busySeconds } = await measureWork(bench.cluster.pids, idle, async () => {
    const end = performance.now() + seconds * 1000;
    let written = 0;
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; performance.now() < end; n++) {
        await index.put(createIndexRow(writer * 1_000 + (n % 100), 40 + n));
        written++;
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, writer) => write(writer)));
    return written;
  });
  return Math.round((busySeconds / count) * 1e6);
}

/** Measures the bytes of stored frames by the growth of a stream with frames of two sizes. */
async function measureBytes(
  bench: NatsLogBench,
): Promise<{ readonly bytesPerFrame: number; readonly bytesPerEvent: number }> {
  const manager = await jetstreamManager(await bench.connect());
  const measure = async (events: number): Promise<number> => {
    const namespace = await bench.createNamespace(1);
    await using log: Journal = await bench.open(namespace);
    const appended = await appendFrames(log, { namespace, streams: 1, perStream: 1, seconds: 1, run: "bytes", events });
    const { state } = await manager.streams.info(`${namespace}-log-0`);
    return state.bytes / Math.max(1, appended.count);
  };
  const [one, many] = [await measure(1), await measure(eventsPerFrame + 1)];
  const bytesPerEvent = (many - one) / eventsPerFrame;
  return { bytesPerFrame: Math.round(one - bytesPerEvent), bytesPerEvent: Math.round(bytesPerEvent) };
}

/** Compares the plan for a load with what the servers use under it. */
async function measurePrediction(
  bench: NatsLogBench,
  costs: MeasuredCosts,
): Promise<{ readonly predicted: number; readonly control: number; readonly measured: number }> {
  const { streams, perStream, pace } = paced;
  const namespace = await bench.createNamespace(streams);
  await using log = await bench.open(namespace);
  const idle = await measureIdle(bench.cluster.pids, seconds);
  const work = await measureWork(bench.cluster.pids, idle, async () => {
    const options = { namespace, streams, perStream, pace, seconds: 3 * seconds, run: "paced" };
    return (await appendFrames(log, options)).count;
  });
  const sessions = streams * perStream;
  const machines = { cores: 8, streams, sessionsPerHost: 100 };
  const rate = (work.count / work.seconds) * eventsPerFrame;
  // This load writes no rows.
  const withoutRows = { ...costs, rowMicroseconds: 1e-9 };
  const plan = planFleet({ sessions, rate, pace }, machines, withoutRows);
  const cheapest = costs.frames.filter(({ inFlight }) => inFlight === Math.max(...inFlightCounts));
  const control = planFleet({ sessions, rate, pace }, machines, { ...withoutRows, frames: cheapest });
  return { predicted: plan.busyCores, control: control.busyCores, measured: work.busySeconds / work.seconds };
}

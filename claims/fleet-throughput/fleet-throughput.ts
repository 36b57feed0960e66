import type { Journal } from "@fairlead/journal";
import { BareClient } from "@fairlead/testing/nats/bare-client.ts";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { crc32 } from "node:zlib";
import type { Claim } from "../../measure/claim.ts";
import { median } from "../../measure/quantile.ts";
import { runQuietly } from "../../scripts/run.ts";

const sessionCount = 64;
const eventsPerFrame = 10;
const seconds = 4;
const pairs = 7;
const minShare = 0.7;

export const fleetThroughput: Claim = {
  id: "fleet-throughput",
  statement: "The event log on NATS stores nearly as many frames per second as the bare client.",
  bound: `${sessionCount} sessions, frames of ${eventsPerFrame} events, three servers that sync each write: at least ${minShare} of the bare client's frames per second with the same frames (median of ${pairs} alternating pairs)`,
  async prove() {
    const installed = await runQuietly("node", ["scripts/install-nats.ts"]);
    if (installed.code !== 0) throw new Error(installed.output);
    await using bench = await NatsLogBench.start(3);
    const namespaces = { log: await bench.createNamespace(16), bare: await bench.createNamespace(16) };
    const client = new BareClient(await bench.connect());
    await using log = await bench.open(namespaces.log);
    const frame = await readStoredFrame(client, log, namespaces.log);
    const runs: { readonly bare: number; readonly log: number }[] = [];
    // The first pair warms up servers and code, and does not count.
    for (let pair = 0; pair <= pairs; pair++) {
      const measureBare = () => appendBare(client, namespaces.bare, frame, pair);
      const measureLog = () => appendToLog(log, pair);
      // Alternating the order too, so that a machine that becomes slower does not favor one.
      const bareFirst = pair % 2 === 0 ? await measureBare() : undefined;
      const logRate = await measureLog();
      const bareRate = bareFirst ?? (await measureBare());
      if (pair > 0) runs.push({ bare: bareRate, log: logRate });
    }
    const share = median(runs.map((run) => run.log / run.bare));
    const shares = runs.map((run) => (run.log / run.bare).toFixed(2)).join(", ");
    return {
      measured:
        `log ${median(runs.map(({ log }) => log)).toFixed(0)} frames/s, bare client ` +
        `${median(runs.map(({ bare }) => bare)).toFixed(0)}, ${frame.byteLength} bytes a frame; share ${share.toFixed(2)} (${shares})`,
      holds: share >= minShare,
    };
  },
};

const textOf = (n: number): string =>
  JSON.stringify({
    sequence: n,
    type: "tool.called",
    tool: "shell",
    input: `grep -rn "term ${n * 7919}" packages | head -${n % 50}`,
    output:
      `packages/file-${(n * 31) % 97}.ts:${n}: const value = compute(${n * 13}, "${(n * 2_654_435_761) % 1e9}");`.repeat(
        4,
      ),
  });
const events = Array.from({ length: eventsPerFrame }, (_, n) => Buffer.from(textOf(n)));

/** Appends frames to all sessions at the same time, one after the other in each. Returns the frames per second. */
async function appendToLog(log: Journal, round: number): Promise<number> {
  return await measure(async (index, next) => {
    const session = `session ${round} ${index}`;
    const { epoch, ...claim } = await log.claim(session, "owner");
    let { fence, last } = claim;
    while (next()) {
      fence = await log.append({ session, epoch, first: last + 1, events, owner: "owner" }, fence);
      last += events.length;
    }
  });
}

/** Does the same with the client alone: the same bytes, an id per message, and the sequence of the one before. */
async function appendBare(client: BareClient, namespace: string, frame: Uint8Array, round: number): Promise<number> {
  return await measure(async (index, next) => {
    const subject = `${namespace}.log.${index % 16}.bare-${round}-${index}`;
    let expected = 0;
    for (let count = 0; next(); count++) {
      expected = await client.append(subject, frame, { id: `${round}.${index}.${count}`, expected });
    }
  });
}

async function measure(append: (index: number, next: () => boolean) => Promise<void>): Promise<number> {
  let count = 0;
  const start = performance.now();
  const end = start + seconds * 1000;
  const next = (): boolean => {
    if (performance.now() >= end) return false;
    count++;
    return true;
  };
  await Promise.all(Array.from({ length: sessionCount }, (_, index) => append(index, next)));
  return count / ((performance.now() - start) / 1000);
}

/** Returns the bytes of a frame as the log stores it. */
async function readStoredFrame(client: BareClient, log: Journal, namespace: string): Promise<Uint8Array> {
  const { epoch, fence } = await log.claim("sample", "owner");
  await log.append({ session: "sample", epoch, first: 1, events, owner: "owner" }, fence);
  return await client.readLast(`${namespace}-log-${crc32("sample") % 16}`);
}

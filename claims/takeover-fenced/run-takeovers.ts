import { FairleadError } from "@fairlead/contract";
import type { Journal } from "@fairlead/journal";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { quantile } from "../../measure/quantile.ts";
import { SeededRandom } from "../../measure/seeded-random.ts";

export interface TakeoverRun {
  readonly claims: number;
  readonly fenced: number;
  readonly acknowledged: number;
  readonly stored: number;
  /** Acknowledged events that are not stored, or not as they were acknowledged. */
  readonly lost: number;
  /** Stored events of an epoch that follow an event of a later one. */
  readonly staleWrites: number;
  readonly claimP50: number;
  readonly claimP99: number;
  readonly claimMax: number;
}

interface TakeoverOptions {
  readonly claimants: number;
  readonly sessions: number;
  readonly seconds: number;
}

/** Claims sessions at random over many connections, appends to each until it is fenced, and compares the logs. */
export async function runTakeovers({ claimants, sessions, seconds }: TakeoverOptions): Promise<TakeoverRun> {
  await using bench = await NatsLogBench.start(3);
  const namespace = await bench.createNamespace(16);
  await using stack = new AsyncDisposableStack();
  const open = Array.from({ length: claimants }, async () => stack.use(await bench.open(namespace)));
  const logs = await Promise.all(open);
  const random = SeededRandom.fromEnvironment();
  const end = performance.now() + seconds * 1000;
  const claimTimes: number[] = [];
  /** By session and number: the epoch and the claimant of the acknowledged append. */
  const acknowledged = new Map<string, string>();
  let fenced = 0;
  const compete = async (log: Journal, claimant: number): Promise<void> => {
    const owner = `claimant ${claimant}`;
    while (performance.now() < end) {
      const session = `session ${random.nextBelow(sessions)}`;
      const before = performance.now();
      const { epoch, ...claim } = await log.claim(session, owner);
      claimTimes.push(performance.now() - before);
      let { fence, last } = claim;
      try {
        for (; performance.now() < end; last++) {
          const text = `${epoch} ${owner}`;
          const batch = { session, epoch, first: last + 1, events: [Buffer.from(text)], owner };
          fence = await log.append(batch, fence);
          acknowledged.set(`${session}:${last + 1}`, text);
        }
      } catch (error) {
        if (!FairleadError.is(error, "fenced")) throw error;
        fenced++;
      }
    }
  };
  await Promise.all(logs.map(compete));

  await using reader = await bench.open(namespace);
  let stored = 0;
  let staleWrites = 0;
  const missing = new Map(acknowledged);
  for (let index = 0; index < sessions; index++) {
    const session = `session ${index}`;
    let newestEpoch = 0;
    for await (const { epoch, first, events } of reader.read(session, 0)) {
      if (epoch < newestEpoch) staleWrites++;
      newestEpoch = Math.max(newestEpoch, epoch);
      for (const [offset, event] of events.entries()) {
        stored++;
        const key = `${session}:${first + offset}`;
        if (missing.get(key) === Buffer.from(event).toString()) missing.delete(key);
      }
    }
  }
  return {
    claims: claimTimes.length,
    fenced,
    acknowledged: acknowledged.size,
    stored,
    lost: missing.size,
    staleWrites,
    claimP50: quantile(claimTimes, 0.5),
    claimP99: quantile(claimTimes, 0.99),
    claimMax: Math.max(...claimTimes),
  };
}

import { NatsBusBench } from "@fairlead/testing/nats/nats-bus-bench.ts";
import { expect, test } from "vitest";

const sessionCount = 500;
const callCount = 10_000;
const atOnce = 16;

test(
  "one host serves 500 sessions, and 10,000 calls take little longer than bare requests",
  { timeout: 120_000 },
  async () => {
    await using bench = await NatsBusBench.start(1);
    const namespace = bench.createNamespace();
    await using host = await bench.open(namespace);
    await using gateway = await bench.open(namespace);
    const sessions = Array.from({ length: sessionCount }, (_, n) => `session-${n}`);
    const start = performance.now();
    const servers = await Promise.all(
      sessions.map((session) => host.bus.serve(session, 1, async ({ params }) => params)),
    );
    const served = performance.now() - start;
    const [server, client] = [await bench.connect(), await bench.connect()];
    server.subscribe("bare.*", { callback: (_, message) => void message.respond(message.data) });
    await server.flush();

    const { signal } = new AbortController();
    const callSession = async (n: number): Promise<void> => {
      const reply = await gateway.bus.call(sessions[n % sessionCount] ?? "", { method: "m", params: n }, signal);
      if (reply !== n) throw new Error(`Call ${n} got the reply ${String(reply)}.`);
    };
    const request = async (n: number): Promise<void> =>
      void (await client.request(`bare.${n % sessionCount}`, String(n)));
    // The first calls are slower, since the code is not compiled yet.
    for (const run of [request, callSession]) await measure(run, 2_000);
    const [bare, calls] = [await measure(request, callCount), await measure(callSession, callCount)];
    console.log(`${sessionCount} sessions served in ${served.toFixed(0)} ms`);
    console.log(`bare requests: ${format(bare)}; calls: ${format(calls)}`);
    expect(at(calls, 0.5)).toBeLessThan(Math.max(4 * at(bare, 0.5), 20));
    await Promise.all(servers.map((one) => one[Symbol.asyncDispose]()));
  },
);

/** Returns how long each run took, in milliseconds, sorted. */
async function measure(run: (n: number) => Promise<void>, count: number): Promise<readonly number[]> {
  const durations: number[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const start = performance.now();
      await run(next++);
      durations.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return durations.toSorted((one, other) => one - other);
}

function at(durations: readonly number[], share: number): number {
  return durations[Math.floor(durations.length * share)] ?? 0;
}

function format(durations: readonly number[]): string {
  return `p50 ${at(durations, 0.5).toFixed(2)} ms, p99 ${at(durations, 0.99).toFixed(2)} ms`;
}

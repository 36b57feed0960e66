import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { spawn, type ChildProcess } from "node:child_process";
import { on } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createQueueStreams } from "./create-queue-streams.ts";
import { NatsWorkQueue } from "./nats-work-queue.ts";

const lease = 3_000;
const namespace = "queue";
const deadline = (): AbortSignal => AbortSignal.timeout(90_000);

let bench: NatsLogBench;
beforeAll(async () => {
  bench = await NatsLogBench.start(1);
  await createQueueStreams(await bench.connect(), { namespace, replicas: 1 });
});
afterAll(() => bench[Symbol.asyncDispose]());

/** Takes one job of a pool in another process, prints the attempt, and ends the job once its input has a line. */
const program = `
  const [connectFile, queueFile, options, namespace, pool] = JSON.parse(process.env.TEST_TAKER);
  const { connectToNats } = await import(connectFile);
  const { NatsWorkQueue } = await import(queueFile);
  const connection = await connectToNats(options);
  const queue = new NatsWorkQueue({ connection, namespace, lease: ${lease} });
  for await (const ticket of queue.take(pool, new AbortController().signal)) {
    console.log(ticket.attempt);
    await new Promise((resolve) => process.stdin.once("data", resolve));
    await ticket.done("late").then(() => console.log("done"), (error) => console.log(error.code));
    process.exit();
  }
`;

function startTaker(pool: string): ChildProcess & AsyncIterable<string> & Disposable {
  const { servers, application } = bench.cluster;
  const files = ["../connect-to-nats.ts", "nats-work-queue.ts"].map((file) => new URL(file, import.meta.url).href);
  const options = { servers, user: application.user, password: application.pass };
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    env: { ...process.env, TEST_TAKER: JSON.stringify([...files, options, namespace, pool]) },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = on(child.stdout, "data");
  return Object.assign(child, {
    async *[Symbol.asyncIterator]() {
      for await (const [bytes] of lines) yield String(bytes).trim();
    },
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  });
}

test.for(["killed", "paused"] as const)(
  "the job of a %s process goes to another taker after the lease",
  async (fate) => {
    const queue = new NatsWorkQueue({ connection: await bench.connect(), namespace, lease });
    const outcome = queue.put(fate, { kind: "test", params: null }, fate, deadline());
    using taker = startTaker(fate);
    const lines = taker[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe("1");
    taker.kill(fate === "killed" ? "SIGKILL" : "SIGSTOP");
    const start = performance.now();
    for await (const ticket of queue.take(fate, deadline())) {
      expect(performance.now() - start).toBeGreaterThan(lease / 2);
      expect(ticket.attempt).toBe(2);
      if (fate === "paused") {
        taker.stdin?.write("\n");
        taker.kill("SIGCONT");
        expect((await lines.next()).value).toBe("conflict");
      }
      await ticket.done("in time");
      break;
    }
    expect(await outcome).toBe("in time");
  },
);

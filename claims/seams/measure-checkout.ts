import { pathToFileURL } from "node:url";
import { ChildProgram } from "../../measure/child-program.ts";
import { quantile } from "../../measure/quantile.ts";
import { TestHome } from "../../measure/test-home.ts";

const ticking = { rate: 1000, count: 2000 };
const lines = 50_000;
/** The runtime has one core; agent, keeper and reader share the other. */
const cores = { runtime: 0, others: 1 };

/** What one run of a checkout's own benchmarks measured. */
export interface Speed {
  /** Milliseconds from an agent's output to a durable event in another process, in the median. */
  readonly latency: number;
  /** Events per second. */
  readonly throughput: number;
}

/** Runs the programs of the benchmarks as a checkout has them, on the packages of that checkout. */
export async function measureCheckout(folder: string): Promise<Speed> {
  const program = (path: string): URL => new URL(`bench/${path}`, pathToFileURL(`${folder}/`));
  return { latency: await measureLatency(program), throughput: await measureThroughput(program) };
}

async function measureLatency(program: (path: string) => URL): Promise<number> {
  await using testHome = new TestHome();
  const { environment: env, home } = testHome;
  const options = { ...ticking, home: home.folder, workspace: testHome.workspace() };
  await using driver = new ChildProgram(program("event-latency/driver.ts"), options, { env });
  const followerOptions = { home: home.folder, session: await driver.readLine() };
  await using follower = new ChildProgram(program("event-latency/journal-follower.ts"), followerOptions, { env });
  await follower.readLine();
  driver.writeLine("go");
  return quantile(await follower.readJson<number[]>(), 0.5);
}

async function measureThroughput(program: (path: string) => URL): Promise<number> {
  await using testHome = new TestHome();
  const { environment: env, home } = testHome;
  const options = { home: home.folder, workspace: testHome.workspace(), lines, core: cores.runtime };
  const pinned = { env, wrapper: ["taskset", "-c", String(cores.others)] };
  await using driver = new ChildProgram(program("throughput/driver.ts"), options, pinned);
  const readerOptions = { home: home.folder, session: await driver.readLine() };
  await using subscriber = new ChildProgram(program("throughput/subscriber.ts"), readerOptions, pinned);
  await subscriber.readLine();
  driver.writeLine("go");
  const startedAt = BigInt(await driver.readLine());
  const { inOrder, at } = await subscriber.readJson<{ inOrder: number; at: string }>();
  if (inOrder !== lines) throw new Error(`${lines - inOrder} events are missing or out of order.`);
  return lines / (Number(BigInt(at) - startedAt) / 1e9);
}

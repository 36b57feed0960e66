import type { Fairlead } from "@fairlead/api";
import { withScript } from "@fairlead/kit";
import { ChildProgram } from "../../measure/child-program.ts";
import type { Claim } from "../../measure/claim.ts";
import { DaemonProcess, type ServiceOverrides } from "../daemon/daemon-process.ts";
import { SessionFollower } from "../daemon/session-follower.ts";
import { describeMachine, MemorySampler, readPeakMemory } from "../daemon/machine.ts";
import type { ReadResult, ReadersOptions } from "../daemon/readers.ts";
import { readSize } from "../daemon/size.ts";
import { startSessions } from "../daemon/start-many.ts";
import { TestHome } from "../../measure/test-home.ts";
import type { StalledOptions } from "./stalled-clients.ts";

const events = readSize("events", 200_000);
const rate = 2500;
const stalledCounts = { some: readSize("stalled", 50), /** Without a limit each takes all there is. */ control: 5 };
const readerCount = 2;
/** The stalled clients stay connected for the whole run. */
const keepStalled = { stall: 3_600_000 };
const bounds = { memory: 50, slowdown: 2 };

interface ConsumerRun extends ReadResult {
  /** The daemon's peak memory during the flood, in MiB, and its overall peak. */
  readonly memory: number;
  readonly peak: number;
}

export const slowConsumer: Claim = {
  id: "slow-consumer",
  statement: "Stalled clients cost the daemon little memory and the other clients no latency.",
  bound:
    `${stalledCounts.some} stalled sockets during ${events} events: < ${bounds.memory} MiB more memory, p99 of the others < ${bounds.slowdown} × ` +
    `without them, 0 lost; control: without a send limit, more memory than that`,
  async prove() {
    // Measured before and after, because the load on a shared machine varies. Comparing with the better run is the stricter test.
    const before = await measureRun(0);
    const withStalled = await measureRun(stalledCounts.some);
    const after = await measureRun(0);
    const baseline = after.p99 < before.p99 ? after : before;
    const control = await measureRun(stalledCounts.control, { unsent: Number.MAX_SAFE_INTEGER });
    const extraMemory = withStalled.memory - baseline.memory;
    const slowdown = withStalled.p99 / baseline.p99;
    const uncappedMemory = control.memory - baseline.memory;
    return {
      measured:
        `${describeRun(before)} without, and after it ${describeRun(after)}; ${describeRun(withStalled)} with ${stalledCounts.some} stalled: ${extraMemory.toFixed(0)} MiB more, p99 ${slowdown.toFixed(2)} ×; ` +
        `control, ${stalledCounts.control} stalled without a limit: ${uncappedMemory.toFixed(0)} MiB more; ${describeMachine()}`,
      holds:
        extraMemory < bounds.memory &&
        slowdown < bounds.slowdown &&
        uncappedMemory > bounds.memory &&
        [before, withStalled, after].every(({ received: heard }) => heard === events * readerCount),
    };
  },
};

async function measureRun(count: number, limits?: ServiceOverrides["limits"]): Promise<ConsumerRun> {
  await using testHome = new TestHome();
  await using daemon = await DaemonProcess.startWith(testHome, { limits: { ...keepStalled, ...limits } });
  const { socket } = daemon;
  const fairlead = daemon.connect();
  const [session = ""] = await startSessions(fairlead, testHome, 1);
  const lastSequence = await sendHistory(fairlead, session);
  const stalledOptions: StalledOptions = { socket, session, count };
  await using stalledClients = new ChildProgram(new URL("stalled-clients.ts", import.meta.url), stalledOptions);
  await stalledClients.readLine();
  const sessions = Array.from({ length: readerCount }, () => session);
  const readerOptions: ReadersOptions = { socket, sessions, after: lastSequence - 1, clock: "keeper" };
  await using activeReaders = new ChildProgram(new URL("../daemon/readers.ts", import.meta.url), readerOptions);
  await activeReaders.readLine();
  await fairlead.send(session, withScript("Go.", [{ flood: { lines: events, rate } }]));
  using sampler = new MemorySampler(daemon.pid);
  const result = await activeReaders.readJson<ReadResult>();
  return { ...result, memory: sampler.peak, peak: readPeakMemory(daemon.pid) };
}

/** Produces more output than the buffers to a reader can hold. Returns the number of the last event. */
async function sendHistory(fairlead: Fairlead, session: string): Promise<number> {
  await fairlead.send(session, withScript("Go.", [{ flood: { lines: 5000, rate } }]));
  return await new SessionFollower(fairlead, session).waitForEvent(({ body }) => body.type === "turn.ended");
}

function describeRun({ received, p50, p99, memory, peak }: ConsumerRun): string {
  return `${received} heard, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${memory.toFixed(0)} MiB (ever ${peak.toFixed(0)})`;
}

import { setTimeout as delay } from "node:timers/promises";
import { ChildProgram } from "../../measure/child-program.ts";
import type { Claim } from "../../measure/claim.ts";
import { mapConcurrently } from "../daemon/map-concurrently.ts";
import { DaemonProcess } from "../daemon/daemon-process.ts";
import { CpuMeter, describeMachine, readMemory } from "../daemon/machine.ts";
import type { ReadResult, ReadersOptions } from "../daemon/readers.ts";
import { readSize } from "../daemon/size.ts";
import { startSessions } from "../daemon/start-many.ts";
import { TestHome } from "../../measure/test-home.ts";
import type { BareReadersOptions } from "./bare-readers.ts";

const sessions = readSize("sessions", 200);
const rate = 10;
const seconds = readSize("seconds", 60);
const bound = 100;
/** The time limit until all agents are started, in milliseconds. */
const startDelay = 10_000;
const program = new URL("ticking-agent.pl", import.meta.url).href;

export const manySessions: Claim = {
  id: "many-sessions",
  statement: "Events of hundreds of agents reach one client each within milliseconds.",
  bound: `${sessions} sessions × ${rate} events/s for ${seconds} s: p99 from the agent to the client ≤ ${bound} ms, 0 lost`,
  async prove() {
    const bareResult = await measureBarePipes();
    await using testHome = new TestHome();
    const agent = { program, argument: `${rate * seconds} ${1000 / rate}`, runner: "perl" };
    await using daemon = await DaemonProcess.startWith(testHome, { agent });
    const fairlead = daemon.connect();
    const started = await startSessions(fairlead, testHome, sessions);
    const options: ReadersOptions = { socket: daemon.socket, sessions: started, clock: "agent" };
    await using readers = new ChildProgram(new URL("../daemon/readers.ts", import.meta.url), options);
    await readers.readLine();
    const beginAt = Date.now() + startDelay;
    await mapConcurrently(16, started, async (session) => await fairlead.send(session, `Begin at ${beginAt}`));
    if (Date.now() > beginAt) throw new Error(`Not all were told within ${startDelay / 1000} s.`);
    await delay(beginAt - Date.now());
    const keepers = started.flatMap((session) => testHome.findKeeper(session)?.pid ?? []);
    const [daemonBusy, keepersBusy] = [new CpuMeter([daemon.pid]), new CpuMeter(keepers)];
    const startedAt = performance.now();
    const result = await readers.readJson<ReadResult>();
    const elapsed = (performance.now() - startedAt) / 1000;
    const expected = sessions * rate * seconds;
    return {
      measured:
        `${result.received} events heard of ${expected} in ${elapsed.toFixed(0)} s, p50 ${result.p50.toFixed(1)} ms, p99 ${result.p99.toFixed(1)} ms, worst ` +
        `${result.worst.toFixed(0)} ms (over bare pipes p50 ${bareResult.p50.toFixed(1)} ms, p99 ${bareResult.p99.toFixed(1)} ms: ${(result.p99 / bareResult.p99).toFixed(1)} ×); ` +
        `the daemon has ${readMemory(daemon.pid).toFixed(0)} MiB and takes ${daemonBusy.corePercent} of a core, the keepers ${keepersBusy.corePercent} together; ${describeMachine()}`,
      holds: result.p99 <= bound && result.received === expected,
    };
  },
};

/** The same agents for a tenth of the time, read over bare pipes. */
async function measureBarePipes(): Promise<ReadResult> {
  const options: BareReadersOptions = { program, argument: `${rate * (seconds / 10)} ${1000 / rate}`, count: sessions };
  await using readers = new ChildProgram(new URL("bare-readers.ts", import.meta.url), options);
  return await readers.readJson<ReadResult>();
}

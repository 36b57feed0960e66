import { setTimeout as delay } from "node:timers/promises";
import { Child } from "./child.ts";
import type { Claim } from "./claim.ts";
import { atOnce } from "./daemon/at-once.ts";
import { Daemon } from "./daemon/daemon.ts";
import { Busy, machine, memory } from "./daemon/machine.ts";
import type { Read, ReadersOptions } from "./daemon/readers.ts";
import { size } from "./daemon/size.ts";
import { startMany } from "./daemon/start-many.ts";
import { Ground } from "./ground.ts";
import type { BareReadersOptions } from "./many-sessions/bare-readers.ts";

const sessions = size("sessions", 200);
const rate = 10;
const seconds = size("seconds", 60);
const bound = 100;
/** How long it may take until all are told to begin, in milliseconds. */
const telling = 10_000;
const program = new URL("many-sessions/ticking-agent.pl", import.meta.url).href;

export const manySessions: Claim = {
  id: "many-sessions",
  says: "Hundreds of agents that speak at the same time are heard at once, each by a client of its own.",
  bound: `${sessions} sessions × ${rate} events/s for ${seconds} s: p99 from the agent to the client ≤ ${bound} ms, 0 lost`,
  async prove() {
    const bare = await bareRead();
    await using ground = new Ground();
    const agent = { program, argument: `${rate * seconds} ${1000 / rate}`, runner: "perl" };
    await using daemon = await Daemon.special(ground, { agent });
    const fairlead = daemon.reach();
    const started = await startMany(fairlead, ground, sessions);
    const options: ReadersOptions = { socket: daemon.socket, sessions: started, clock: "agent" };
    await using readers = new Child(new URL("daemon/readers.ts", import.meta.url), options);
    await readers.line();
    const begin = Date.now() + telling;
    await atOnce(16, started, async (session) => await fairlead.send(session, `Begin at ${begin}`));
    if (Date.now() > begin) throw new Error(`Not all were told within ${telling / 1000} s.`);
    await delay(begin - Date.now());
    const keepers = started.flatMap((session) => ground.keeper(session)?.pid ?? []);
    const [daemonBusy, keepersBusy] = [new Busy([daemon.pid]), new Busy(keepers)];
    const began = performance.now();
    const read = await readers.told<Read>();
    const took = (performance.now() - began) / 1000;
    const wanted = sessions * rate * seconds;
    return {
      measured:
        `${read.heard} events heard of ${wanted} in ${took.toFixed(0)} s, p50 ${read.p50.toFixed(1)} ms, p99 ${read.p99.toFixed(1)} ms, worst ` +
        `${read.worst.toFixed(0)} ms (over bare pipes p50 ${bare.p50.toFixed(1)} ms, p99 ${bare.p99.toFixed(1)} ms: ${(read.p99 / bare.p99).toFixed(1)} ×); ` +
        `the daemon has ${memory(daemon.pid).toFixed(0)} MiB and takes ${daemonBusy.share} of a core, the keepers ${keepersBusy.share} together; ${machine()}`,
      holds: read.p99 <= bound && read.heard === wanted,
    };
  },
};

/** The same agents for a tenth of the time, with nothing between them and who reads them. */
async function bareRead(): Promise<Read> {
  const options: BareReadersOptions = { program, argument: `${rate * (seconds / 10)} ${1000 / rate}`, count: sessions };
  await using readers = new Child(new URL("many-sessions/bare-readers.ts", import.meta.url), options);
  return await readers.told<Read>();
}

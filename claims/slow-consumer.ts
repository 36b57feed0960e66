import type { Fairlead } from "@fairlead/api";
import { withScript } from "@fairlead/kit";
import { Child } from "./child.ts";
import type { Claim } from "./claim.ts";
import { Daemon, type Special } from "./daemon/daemon.ts";
import { Follower } from "./daemon/follower.ts";
import { machine, MemoryWatch, peakMemory } from "./daemon/machine.ts";
import type { Read, ReadersOptions } from "./daemon/readers.ts";
import { size } from "./daemon/size.ts";
import { startMany } from "./daemon/start-many.ts";
import { Ground } from "./ground.ts";
import type { StalledOptions } from "./slow-consumer/stalled.ts";

const events = size("events", 200_000);
const rate = 2500;
const stalled = { some: size("stalled", 50), /** Without a limit each takes all there is. */ control: 5 };
const readers = 2;
/** They are not let go of, but stay as they are all the time. */
const patient = { stall: 3_600_000 };
const bounds = { memory: 50, slowdown: 2 };

interface Run extends Read {
  /** What the daemon had in memory at most while the agent spoke, in MiB; and ever, as when they all come at once. */
  readonly memory: number;
  readonly peak: number;
}

export const slowConsumer: Claim = {
  id: "slow-consumer",
  says: "Clients that do not read what they asked for cost the daemon little, and the others nothing.",
  bound:
    `${stalled.some} stalled sockets during ${events} events: < ${bounds.memory} MiB more memory, p99 of the others < ${bounds.slowdown} × ` +
    `without them, 0 lost; where any amount may lie unsent, more memory than that`,
  async prove() {
    // Before and after, since other people's load on the machine comes and goes: compared with the better, it can only do harm.
    const before = await run(0);
    const withThem = await run(stalled.some);
    const after = await run(0);
    const without = after.p99 < before.p99 ? after : before;
    const control = await run(stalled.control, { unsent: Number.MAX_SAFE_INTEGER });
    const more = withThem.memory - without.memory;
    const slowdown = withThem.p99 / without.p99;
    const uncapped = control.memory - without.memory;
    return {
      measured:
        `${told(before)} without, and after it ${told(after)}; ${told(withThem)} with ${stalled.some} stalled: ${more.toFixed(0)} MiB more, p99 ${slowdown.toFixed(2)} ×; ` +
        `control, ${stalled.control} stalled without a limit: ${uncapped.toFixed(0)} MiB more; ${machine()}`,
      holds:
        more < bounds.memory &&
        slowdown < bounds.slowdown &&
        uncapped > bounds.memory &&
        [before, withThem, after].every(({ heard }) => heard === events * readers),
    };
  },
};

async function run(count: number, limits?: Special["limits"]): Promise<Run> {
  await using ground = new Ground();
  await using daemon = await Daemon.special(ground, { limits: { ...patient, ...limits } });
  const { socket } = daemon;
  const fairlead = daemon.reach();
  const [session = ""] = await startMany(fairlead, ground, 1);
  const said = await history(fairlead, session);
  const stalling: StalledOptions = { socket, session, count };
  await using lazy = new Child(new URL("slow-consumer/stalled.ts", import.meta.url), stalling);
  await lazy.line();
  const sessions = Array.from({ length: readers }, () => session);
  const reading: ReadersOptions = { socket, sessions, after: said - 1, clock: "keeper" };
  await using others = new Child(new URL("daemon/readers.ts", import.meta.url), reading);
  await others.line();
  await fairlead.send(session, withScript("Go.", [{ flood: { lines: events, rate } }]));
  using watch = new MemoryWatch(daemon.pid);
  const read = await others.told<Read>();
  return { ...read, memory: watch.most, peak: peakMemory(daemon.pid) };
}

/** Has something said that is more than can lie on the way to a reader; gives the number of its last event. */
async function history(fairlead: Fairlead, session: string): Promise<number> {
  await fairlead.send(session, withScript("Go.", [{ flood: { lines: 5000, rate } }]));
  return await new Follower(fairlead, session).saw(({ body }) => body.type === "turn.ended");
}

function told({ heard, p50, p99, memory, peak }: Run): string {
  return `${heard} heard, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${memory.toFixed(0)} MiB (ever ${peak.toFixed(0)})`;
}

import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { RemoteFairlead } from "@fairlead/client";
import { connectToNats } from "@fairlead/nats";
import { decodeEvents } from "@fairlead/runtime";
import { jetstreamManager } from "@nats-io/jetstream";
import { ChildProgram } from "../../measure/child-program.ts";
import type { Claim } from "../../measure/claim.ts";
import { median, quantile } from "../../measure/quantile.ts";
import { runQuietly } from "../../scripts/run.ts";
import { CpuMeter, describeMachine, MachineMeter } from "../daemon/machine.ts";
import { mapConcurrently } from "../daemon/map-concurrently.ts";
import { readSize } from "../daemon/size.ts";
import { startSessions } from "../daemon/start-many.ts";
import type { FollowedTurn, FollowersOptions } from "./followers.ts";
import { LatencyFleet } from "./latency-fleet.ts";
import { measureFloor } from "./measure-floor.ts";

const sessionCount = readSize("sessions", 50);
const hostCount = 2;
const every = 100;
/** The seconds of each turn, and of each of the two measurements of the floor. */
const seconds = { warmUp: 4, steady: readSize("seconds", 24), control: 3, floor: 8 };
const bounds = { p50: 20, p99: 150 };
/** The control: the milliseconds that each append waits. */
const appendDelay = 500;
/** The milliseconds until all agents are told when to begin. */
const beginDelay = 3_000;

export const fleetLatency: Claim = {
  id: "fleet-latency",
  statement: "In a fleet, agent output is a stored event at a follower of a gateway within milliseconds.",
  bound: `${sessionCount} sessions × ${1000 / every} events/s on ${hostCount} hosts and three servers that sync each write, for ${seconds.steady} s: from the agent to a follower at a gateway p50 ≤ ${bounds.p50} ms, p99 ≤ ${bounds.p99} ms, 0 lost, doubled or reordered; control: hosts that wait ${appendDelay} ms before each append are beyond the bound`,
  async prove() {
    const installed = await runQuietly("node", ["scripts/install-nats.ts"]);
    if (installed.code !== 0) throw new Error(installed.output);
    await using fleet = await LatencyFleet.start();
    const agent = {
      program: new URL("ticking-agent.pl", import.meta.url).href,
      argument: String(every),
      runner: "perl",
    };
    for (let host = 1; host <= hostCount; host++)
      await fleet.startHost(`host-${host}`, Math.ceil(sessionCount / hostCount), agent);
    const { pid: gateway, service } = await fleet.startGateway();
    const fairlead = fleet.connect(service);
    const [home] = fleet.homes;
    if (home === undefined) throw new Error("There is no host.");
    const sessions = await startSessions(fairlead, home, sessionCount);
    const options: FollowersOptions = { service, sessions, turns: 3 };
    await using followers = new ChildProgram(new URL("followers.ts", import.meta.url), options, {
      nodeFlags: ["--conditions=built"],
    });
    await followers.readLine();
    const takeTurn = async (length: number, onTold?: () => Promise<unknown>): Promise<FollowedTurn[]> => {
      const beginAt = await tellAll(fairlead, sessions, (length * 1000) / every);
      await onTold?.();
      await delay(beginAt - Date.now());
      return await followers.readJson<FollowedTurn[]>();
    };

    await takeTurn(seconds.warmUp);
    const bytes = await readFrameSize(fleet);
    const load = { subjects: sessionCount, count: (seconds.floor * 1000) / every, every, bytes };
    const floor = [...(await measureFloor(fleet.connection, "bare-1", load))];
    const keepers = fleet.homes.flatMap((one) => sessions.flatMap((session) => one.findKeeper(session)?.pid ?? []));
    const busy = {
      servers: new CpuMeter(fleet.cluster.pids),
      hosts: new CpuMeter(fleet.hosts.map(({ pid }) => pid)),
      gateway: new CpuMeter([gateway]),
      keepers: new CpuMeter(keepers),
    };
    const machine = new MachineMeter();
    const steady = await takeTurn(seconds.steady, () => fleet.delayAppends(0));
    const appends = await fleet.delayAppends(0);
    const cpu = Object.entries({ ...busy, all: machine }).map(([name, meter]) => `${name} ${meter.corePercent}`);
    const appendTimes = appends.map(({ took }) => took);
    const waited = appends.flatMap((one) => one.waited ?? []);
    floor.push(...(await measureFloor(fleet.connection, "bare-2", load)));
    // The messages themselves are appended without the delay, so that they reach all agents in time.
    const control = await takeTurn(seconds.control, () => fleet.delayAppends(appendDelay));

    const ages = steady.flatMap((turn) => turn.ages);
    const [p50, p99, worst] = [quantile(ages, 0.5), quantile(ages, 0.99), Math.max(...ages)];
    const [floor50, floor99] = [quantile(floor, 0.5), quantile(floor, 0.99)];
    const control50 = median(control.flatMap((turn) => turn.ages));
    const received = ages.length;
    const expected = (sessionCount * seconds.steady * 1000) / every;
    const differing = await countDiffering(fleet, control);
    return {
      measured:
        `${received} events of ${expected}, ${differing} of ${sessions.length} sessions differ from the log; ` +
        `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, worst ${worst.toFixed(0)} ms; ` +
        `of these until the append p50 ${median(waited).toFixed(1)} ms, p99 ${quantile(waited, 0.99).toFixed(1)} ms; ` +
        `${appends.length} appends p50 ${median(appendTimes).toFixed(1)} ms, p99 ${quantile(appendTimes, 0.99).toFixed(1)} ms; ` +
        `bare NATS with ${bytes} bytes p50 ${floor50.toFixed(1)} ms, p99 ${floor99.toFixed(1)} ms, ` +
        `worst ${Math.max(...floor).toFixed(0)} ms: ${(p50 / floor50).toFixed(1)} × and ${(p99 / floor99).toFixed(1)} ×; ` +
        `control p50 ${control50.toFixed(0)} ms; of a core: ${cpu.join(", ")}; ${describeMachine()}`,
      holds:
        p50 <= bounds.p50 && p99 <= bounds.p99 && received === expected && differing === 0 && control50 > bounds.p99,
    };
  },
};

/** Tells all agents to begin at the same time, which it returns. */
async function tellAll(fairlead: RemoteFairlead, sessions: readonly string[], count: number): Promise<number> {
  const beginAt = Date.now() + beginDelay;
  await mapConcurrently(16, sessions, (session) => fairlead.send(session, `tick ${count} times from ${beginAt}`));
  if (Date.now() > beginAt) throw new Error(`Not all were told within ${beginDelay} ms.`);
  return beginAt;
}

/** Returns the median size of the log's frames: that of the frames in the middle of each stream. */
async function readFrameSize({ connection, namespace }: LatencyFleet): Promise<number> {
  const opened = await connectToNats(connection);
  const { streams } = await jetstreamManager(opened);
  const sizes: number[] = [];
  for await (const { config, state } of streams.list()) {
    if (!config.name.startsWith(`${namespace}-log-`) || state.messages === 0) continue;
    const message = await streams.getMessage(config.name, { seq: Math.ceil(state.last_seq / 2) });
    if (message !== null) sizes.push(message.data.byteLength);
  }
  await opened.close();
  return median(sizes);
}

/** Counts the sessions whose follower has not received what the log has, event by event, with the expected number of ticks. */
async function countDiffering({ engine }: LatencyFleet, turns: readonly FollowedTurn[]): Promise<number> {
  const expectedTicks = ((seconds.warmUp + seconds.steady + seconds.control) * 1000) / every;
  const differs = await mapConcurrently(4, turns, async ({ session, last, digest }) => {
    const hash = createHash("sha256");
    let [sequence, ticks] = [0, 0];
    for await (const event of decodeEvents(engine.log.read(session, 0, { limit: last }))) {
      if (event.sequence !== ++sequence) return true;
      if (event.body.type === "text.ended") ticks += 1;
      hash.update(`${JSON.stringify(event)}\n`);
    }
    return sequence !== last || ticks !== expectedTicks || hash.digest("hex") !== digest;
  });
  return differs.filter(Boolean).length;
}

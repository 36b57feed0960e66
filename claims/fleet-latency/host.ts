/**
 * A host of a fleet like that of `fairlead host join`, with a stand-in for the scripted agent: `node host.ts OPTIONS`. It prints
 * a line when it takes work. Each line of its input is a number: the milliseconds that every append waits from then on. The
 * answer is a line with the times of all appends since the answer before.
 */
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { FleetHost } from "@fairlead/fleet";
import { openNatsEngine, type NatsConnectionOptions } from "@fairlead/nats";
import { Home, projectionVersion } from "@fairlead/runtime";
import { createStandInAdapter } from "../../measure/create-stand-in-adapter.ts";

/** Milliseconds of one append. */
export interface AppendTime {
  readonly took: number;
  /** From the agent to the begin of the append; null if it has none of the agent's times. */
  readonly waited: number | null;
}

export interface HostOptions {
  readonly connection: NatsConnectionOptions;
  readonly namespace: string;
  readonly host: string;
  readonly max: number;
  readonly home: string;
  readonly agent: { readonly program: string; readonly argument: unknown; readonly runner: string };
}

const options = JSON.parse(process.argv[2] ?? "") as HostOptions;
const { connection, namespace, host, max, home, agent } = options;
const engine = await openNatsEngine({ connection, namespace, host, indexContentVersion: projectionVersion });
let appendDelay = 0;
let appendTimes: AppendTime[] = [];
const append = engine.log.append.bind(engine.log);
engine.log.append = async (batch, fence) => {
  if (appendDelay > 0) await delay(appendDelay);
  const start = performance.now();
  const stored = await append(batch, fence);
  const took = performance.now() - start;
  const spokenAt = findSpokenAt(batch.events);
  appendTimes.push({ took, waited: spokenAt === null ? null : performance.timeOrigin + start - spokenAt });
  return stored;
};

/** Returns the agent's time in the first of its words. */
function findSpokenAt(events: readonly Uint8Array[]): number | null {
  for (const event of events) {
    const spoken = /"type":"text.ended".*"text":"(\d+\.\d+)"/.exec(Buffer.from(event).toString())?.[1];
    if (spoken !== undefined) return Number(spoken) * 1000;
  }
  return null;
}

await FleetHost.open({
  engine,
  host,
  pool: "default",
  max,
  home: new Home(home),
  adapters: [createStandInAdapter(new URL(agent.program), agent.argument, agent.runner)],
  environment: process.env,
  fallback: "scripted",
  onError: console.error,
});
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  appendDelay = Number(line);
  console.log(JSON.stringify(appendTimes));
  appendTimes = [];
}

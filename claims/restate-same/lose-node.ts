/**
 * Starts runs on a Restate server, kills one of its nodes while they wait, and signals them:
 * `scripts/offline node claims/restate-same/lose-node.ts 1|3`. Prints a `NodeLoss` as JSON.
 */
import { openRestateWorkflows } from "@fairlead/foreman/restate";
import { RestateServer } from "@fairlead/testing/foreman/restate-server.ts";
import type { StepContext, WorkflowContext } from "@fairlead/foreman";

export interface NodeLoss {
  readonly nodes: number;
  readonly startMs: number;
  readonly megabytesPerNode: number;
  readonly msPerStep: number;
  readonly runs: number;
  /** The runs that ended within the limit after the kill. */
  readonly finished: number;
  /** Milliseconds from the kill until the last of them ended. */
  readonly finishedAfterMs: number;
  /** The steps that were stored before the kill, and how often their functions were called in all. */
  readonly storedSteps: number;
  readonly callsOfStoredSteps: number;
  /** The other steps. A function whose result was not stored is called again, with the same key. */
  readonly laterSteps: number;
  readonly callsOfLaterSteps: number;
  /** The things that all steps did, each at most once by its key, as a keyed command. */
  readonly effects: number;
  /** How often the bodies did something outside of a step before the kill. */
  readonly callsOutsideSteps: number;
}

const runCount = 20;
const stepsPerRun = { beforeTheWait: 2, afterTheWait: 2 };
const limit = 30_000;
const measuredSteps = 200;

const nodeCount = process.argv[2] === "1" ? 1 : 3;
await using server = await RestateServer.start(nodeCount);
const waiting = new Set<string>();
let callsOutsideSteps = 0;
const callsByKey = new Map<string, number>();
const act = async ({ key }: StepContext): Promise<number> => {
  const calls = (callsByKey.get(key) ?? 0) + 1;
  callsByKey.set(key, calls);
  return calls;
};

await using workflows = await openRestateWorkflows({
  ingress: server.nodes.map(({ ingress }) => ingress),
  admin: server.nodes.at(-1)?.admin ?? "",
  listen: { host: "127.0.0.1", port: 0 },
  identityKeys: [server.identityKey],
  bodies: {
    parent: async (context: WorkflowContext) => {
      callsOutsideSteps += 1;
      await context.step("plan", act);
      const child = await context.child("child", `${context.run}.child`, null);
      await context.step("ready", act);
      // The server has stored the step. Only now is no step of the run open.
      waiting.add(context.run);
      await context.wait("approved", null);
      await context.step("push", act);
      return await child.result();
    },
    child: async (context: WorkflowContext) => {
      await context.wait("approved", null);
      return await context.step("build", act);
    },
    steps: async (context: WorkflowContext) => {
      for (let index = 0; index < measuredSteps; index++) await context.step(`step ${index}`, async () => index);
      return null;
    },
  },
});

// The first calls of a new cluster wait for its logs to be made.
await workflows.start("child", "warm-up", null);
await workflows.signal("warm-up", "approved");
await workflows.result("warm-up");
const before = performance.now();
await workflows.start("steps", "measured", null);
await workflows.result("measured");
const msPerStep = (performance.now() - before) / measuredSteps;

callsByKey.clear();
const runs = Array.from({ length: runCount }, (_, index) => `run-${index}`);
await Promise.all(runs.map((run) => workflows.start("parent", run, null)));
while (waiting.size < runCount) await new Promise((resolve) => setTimeout(resolve, 20));
const memory = server.nodes.reduce((sum, node) => sum + node.memory, 0) / server.nodes.length;

const storedKeys = new Set(callsByKey.keys());

// The first node made the cluster, and has been the leader of most logs since.
await server.nodes[0]?.kill();
const killedAt = performance.now();
const giveUp = AbortSignal.timeout(limit);
const ended = await Promise.allSettled(
  runs.map(async (run) => {
    for (const waiter of [run, `${run}.child`]) await workflows.signal(waiter, "approved");
    const result = await workflows.result(run, giveUp);
    if (result.state !== "completed") throw new Error(result.message);
    return performance.now() - killedAt;
  }),
);
const times = ended.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
const loss: NodeLoss = {
  nodes: nodeCount,
  startMs: Math.round(server.startTime),
  megabytesPerNode: Math.round(memory / 1e6),
  msPerStep,
  runs: runCount,
  finished: times.length,
  finishedAfterMs: Math.round(Math.max(0, ...times)),
  storedSteps: runCount * stepsPerRun.beforeTheWait,
  callsOfStoredSteps: countCalls((key) => storedKeys.has(key)),
  laterSteps: runCount * stepsPerRun.afterTheWait,
  callsOfLaterSteps: countCalls((key) => !storedKeys.has(key)),
  effects: callsByKey.size,
  callsOutsideSteps,
};
console.log(JSON.stringify(loss));

function countCalls(isCounted: (key: string) => boolean): number {
  return [...callsByKey].reduce((sum, [key, calls]) => (isCounted(key) ? sum + calls : sum), 0);
}

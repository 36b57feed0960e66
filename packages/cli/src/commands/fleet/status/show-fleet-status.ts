import { dirname, resolve } from "node:path";
import { formatAge } from "@fairlead/api";
import type { CliContext } from "../../../cli-context.ts";
import { cliExitCodes } from "../../../exit-codes.ts";
import { table } from "../../../render/text-layout.ts";
import { prepareFleetEngine } from "../open-fleet-engine.ts";
import { formatBytes } from "../plan/format-plan.ts";
import { readFleetFile } from "../read-fleet-file.ts";
import { findFleetProblems } from "./find-fleet-problems.ts";
import type { FleetState } from "./fleet-state.ts";
import { readFleetState } from "./read-fleet-state.ts";
import { showSilentServers } from "./show-silent-servers.ts";

/** Prints whether a fleet is healthy. The exit code is 1 if it is not. */
export async function showFleetStatus(context: CliContext, file: string, json: boolean): Promise<number> {
  const { screen, folder, environment } = context;
  const path = resolve(folder, file);
  const source = { fleet: await readFleetFile(path), folder: dirname(path), environment };
  const silent = await showSilentServers(context, source.fleet, json);
  if (silent !== null) return silent;
  const open = await prepareFleetEngine(context, file);
  await using engine = await open("status");
  const state = await readFleetState(source, engine);
  const { findServerProblems } = await import("@fairlead/nats");
  const { cluster } = state.storage;
  const problems = findFleetProblems(state, cluster === undefined ? [] : findServerProblems(cluster), Date.now());
  const code = problems.length === 0 ? cliExitCodes.success : cliExitCodes.failed;
  if (json) {
    screen.json({ ...state, problems });
    return code;
  }
  screen.line(`Fleet ${state.namespace}: ${problems.length === 0 ? "healthy" : `${problems.length} to look at`}`);
  for (const line of table(formatFleetState(state, Date.now()))) screen.line(line);
  for (const problem of problems) {
    screen.line();
    screen.message(screen.paint("yellow", problem));
  }
  return code;
}

/** Returns a row for each part of a fleet. */
export function formatFleetState(state: FleetState, now: number): string[][] {
  const { storage, hosts, sessions, oldestDecision } = state;
  const { cluster, streams, queuedJobs, gateways } = storage;
  const notAsked = "not asked: the fleet's file names no user of the system account (`system`)";
  const servers =
    cluster === undefined
      ? notAsked
      : `${cluster.servers.length} of ${cluster.size}, version ${unique(cluster.servers.map(({ version }) => version))}` +
        (cluster.servers.every(({ jetStream }) => jetStream?.syncsAlways !== false) ? ", sync always" : "");
  const leaders = streams.filter(({ leader }) => leader !== undefined).length;
  const current = streams.filter(({ late }) => late.length === 0).length;
  const bytes = streams.reduce((sum, one) => sum + one.bytes, 0);
  const places = hosts
    .filter(({ state }) => state !== "absent")
    .reduce((sum, { capacity }) => sum + (capacity ?? 0), 0);
  const driven = hosts.reduce((sum, one) => sum + one.sessions, 0);
  const draining = hosts.filter(({ state }) => state === "draining").map(({ id }) => id);
  const drains = draining.length === 0 ? "" : `, ${draining.length} draining (${draining.join(", ")})`;
  const absent = hosts.filter(({ state }) => state === "absent").map(({ id }) => id);
  const absences = absent.length === 0 ? "" : `, ${absent.length} absent (${absent.join(", ")})`;
  const states = Object.entries(sessions).map(([name, count]) => `${count} ${name}`);
  return [
    ["Servers", servers],
    ["Streams", `${streams.length}: ${leaders} with a leader, ${current} with all copies, ${formatBytes(bytes)}`],
    ["Hosts", `${hosts.length}: ${driven} of ${places} places taken${drains}${absences}`],
    ["Gateways", gateways === undefined ? notAsked : String(gateways)],
    ["Sessions", states.length === 0 ? "none open" : states.join(", ")],
    ["Queue", `${queuedJobs} waiting`],
    [
      "Decisions",
      oldestDecision === null
        ? "none waits"
        : `the oldest waits for ${formatAge(now - Date.parse(oldestDecision.since))} (${oldestDecision.name ?? oldestDecision.session})`,
    ],
  ];
}

function unique(values: readonly string[]): string {
  return [...new Set(values)].join(", ");
}

import { formatAge } from "@fairlead/api";
import type { FleetState } from "./fleet-state.ts";

/** The milliseconds after which a decision without an answer is a problem. */
const longWait = 15 * 60_000;
const shownNames = 3;

/** Explains what is wrong with a fleet: one sentence for each problem, with what to do. `serverProblems` are those of `init`. */
export function findFleetProblems(state: FleetState, serverProblems: readonly string[], now: number): string[] {
  return [
    ...serverProblems,
    ...describeStreams(state),
    ...describeHosts(state),
    ...describeWork(state, now),
    ...(state.storage.gateways === 0
      ? ["No gateway is connected, so no client reaches the fleet: start one with `fairlead gateway`."]
      : []),
  ];
}

function describeStreams({ storage: { streams } }: FleetState): string[] {
  const withoutLeader = streams.filter(({ leader }) => leader === undefined);
  const late = new Map<string, number>();
  for (const server of streams.flatMap((stream) => stream.late)) late.set(server, (late.get(server) ?? 0) + 1);
  const count = (streamCount: number): string => (streamCount === 1 ? "1 stream" : `${streamCount} streams`);
  return [
    ...(streams.length === 0
      ? ["The servers have no streams of the fleet: create them with `fairlead fleet init`."]
      : []),
    ...(withoutLeader.length === 0
      ? []
      : [
          `${count(withoutLeader.length)} (${list(withoutLeader.map(({ name }) => name))}) cannot be written: start servers until more than half of them run, and wait 10 s.`,
        ]),
    ...[...late].map(
      ([server, streamCount]) =>
        `The copies of ${count(streamCount)} on ${server} are out of reach or late: check that ${server} runs, and wait until it has caught up before you stop another server.`,
    ),
  ];
}

function describeHosts({ hosts, sessions }: FleetState): string[] {
  if (hosts.length === 0) {
    const open = Object.values(sessions).reduce((sum, one) => sum + one, 0);
    return open === 0 ? [] : ["No host has joined: start one with `fairlead host join`."];
  }
  const versions = [...new Set(hosts.map(({ version }) => version ?? "unknown"))];
  const full = Map.groupBy(hosts, ({ pool }) => pool);
  const fullPools = [...full].filter(([, members]) =>
    members.every((one) => one.state !== "ready" || one.sessions >= (one.capacity ?? Infinity)),
  );
  return [
    ...(versions.length > 1 ? [`Hosts have different versions (${list(versions)}): upgrade all of them to one.`] : []),
    ...fullPools.map(([pool, members]) => {
      const kinds = new Set(members.map(({ state }) => (state === "ready" ? "full" : state)));
      const undo = kinds.has("draining") ? ", or take one back with `fairlead fleet drain HOST --undo`" : "";
      const what = [...kinds].join(" or ");
      return `All hosts of the pool ${pool} are ${what}, so starts wait: start a host, or stop or pause a session${undo}.`;
    }),
  ];
}

function describeWork({ lostSessions, oldestDecision, storage }: FleetState, now: number): string[] {
  const lost = lostSessions.length;
  const subject = lost === 1 ? "1 session has" : `${lost} sessions have`;
  const waited = oldestDecision === null ? 0 : now - Date.parse(oldestDecision.since);
  const queued = storage.queuedJobs;
  return [
    ...(lost === 0
      ? []
      : [
          `${subject} lost the host (${list(lostSessions)}): if this lasts longer than 40 s, start the host again, or another host of its pool.`,
        ]),
    ...(waited > longWait && oldestDecision !== null
      ? [
          `${oldestDecision.name ?? oldestDecision.session} has waited for an answer for ${formatAge(waited)}: read its request with \`fairlead approve ${oldestDecision.session} --show\`.`,
        ]
      : []),
    ...(queued === 0
      ? []
      : [
          `${queued} ${queued === 1 ? "job waits" : "jobs wait"} for a host with room: start a host, or stop or pause a session.`,
        ]),
  ];
}

function list(names: readonly string[]): string {
  const rest = names.length - shownNames;
  return names.slice(0, shownNames).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

import type { StreamReport } from "@fairlead/nats";
import { expect, test } from "vitest";
import { findFleetProblems } from "./find-fleet-problems.ts";
import type { FleetState } from "./fleet-state.ts";
import type { HostState } from "./read-hosts.ts";

const stream: StreamReport = { name: "s-log-0", leader: "n1", copies: 3, late: [], messages: 1, bytes: 1 };
const host: HostState = {
  id: "h1",
  owner: "o1",
  name: "m1",
  pool: "p",
  capacity: 2,
  version: "1.0.0",
  state: "ready",
  sessions: 1,
};
const now = Date.parse("2026-01-01T01:00:00.000Z");
const healthy: FleetState = {
  namespace: "s",
  storage: { cluster: undefined, streams: [stream], queuedJobs: 0, gateways: 1 },
  hosts: [host],
  sessions: { idle: 1 },
  oldestDecision: null,
  lostSessions: [],
};
const storageWith = (fields: Partial<FleetState["storage"]>): Partial<FleetState> => ({
  storage: { ...healthy.storage, ...fields },
});

test("a healthy fleet has no problems", () => {
  expect(findFleetProblems(healthy, [], now)).toEqual([]);
});

test.each<[string, Partial<FleetState>, RegExp]>([
  [
    "a stream without a leader",
    storageWith({ streams: [{ ...stream, leader: undefined }] }),
    /1 stream \(s-log-0\) cannot be written: start servers/,
  ],
  [
    "a server that is away",
    storageWith({ streams: [{ ...stream, late: ["n3"] }] }),
    /1 stream on n3 are out of reach or late: check that n3 runs/,
  ],
  ["no streams", storageWith({ streams: [] }), /create them with `fairlead fleet init`/],
  ["no gateway", storageWith({ gateways: 0 }), /No gateway is connected/],
  ["jobs that wait", storageWith({ queuedJobs: 2 }), /2 jobs wait for a host with room/],
  [
    "a pool whose only host drains",
    { hosts: [{ ...host, state: "draining" }] },
    /All hosts of the pool p are draining, so starts wait.*--undo/,
  ],
  [
    "a pool whose hosts are full, or stopped for a moment",
    {
      hosts: [
        { ...host, sessions: 2 },
        { ...host, state: "absent" },
      ],
    },
    /All hosts of the pool p are full or absent, so starts wait: start a host, or stop or pause a session\.$/,
  ],
  ["no host", { hosts: [] }, /No host has joined: start one/],
  ["full hosts", { hosts: [{ ...host, sessions: 2 }] }, /All hosts of the pool p are full/],
  ["two versions", { hosts: [host, { ...host, version: "1.1.0" }] }, /different versions \(1\.0\.0, 1\.1\.0\)/],
  ["lost sessions", { lostSessions: ["a", "b", "c", "d"] }, /4 sessions have lost the host \(a, b, c and 1 more\)/],
  [
    "a decision that waits",
    { oldestDecision: { session: "a", name: "fix", since: "2026-01-01T00:00:00.000Z" } },
    /fix has waited for an answer for 1 h: .*fairlead approve a --show/,
  ],
])("explains %s", (_, fields, sentence) => {
  const problems = findFleetProblems({ ...healthy, ...fields }, [], now);
  expect(problems).toEqual([expect.stringMatching(sentence)]);
});

import { describe, expect, test } from "vitest";
import { findServerProblems, type ClusterReport, type ServerSettings } from "./check-servers.ts";

const safe: ServerSettings = {
  id: "N1",
  name: "n1",
  version: "2.12.0",
  maxPayload: 8 * 1024 * 1024,
  jetStream: { syncsAlways: true },
};
const cluster = (...servers: readonly ServerSettings[]): ClusterReport => ({
  servers,
  size: servers.length,
  hasLeader: true,
});

describe("servers of a fleet", () => {
  test.each(["2.12.0", "2.15.1", "2.12.0-RC.1", "3.0.0"])("are accepted with version %s", (version) => {
    expect(findServerProblems(cluster({ ...safe, version }, safe, safe))).toEqual([]);
  });

  test("may be more than three, and some without JetStream", () => {
    const router: ServerSettings = { ...safe, jetStream: undefined };
    expect(findServerProblems({ servers: [safe, safe, safe, safe, safe, router], size: 5 })).toEqual([]);
  });

  test.each(["2.11.9", "2.9.10", "2.10.27", "1.99.0", "", "unknown"])("are refused with version %j", (version) => {
    const [problem, ...others] = findServerProblems(cluster(safe, { ...safe, name: "n2", version }, safe));
    expect(problem).toMatch(/^Server n2 has version .*: upgrade it to 2\.12 or newer\.$/);
    expect(others).toEqual([]);
  });

  test.each([
    ["1 server", [safe]],
    ["2 servers", [safe, safe]],
  ])("are refused if there is %s", (count, servers) => {
    const problems = findServerProblems(cluster(...servers));
    expect(problems).toEqual([
      expect.stringMatching(`^The cluster has ${count} with JetStream.*: run three as a cluster`),
    ]);
  });

  test("are refused if there is none with JetStream", () => {
    const router: ServerSettings = { ...safe, jetStream: undefined };
    const problems = findServerProblems({ servers: [router, router, router], size: 0 });
    expect(problems).toEqual([expect.stringContaining("The cluster has 0 servers with JetStream")]);
  });

  test("are refused if one does not answer", () => {
    const problems = findServerProblems({ servers: [safe, safe], size: 3 });
    expect(problems).toEqual([expect.stringContaining("Only 2 of 3 servers with JetStream answered (n1, n1), so")]);
  });

  test("are refused if one does not sync always", () => {
    const lazy: ServerSettings = { ...safe, name: "n3", jetStream: { syncsAlways: false } };
    const problems = findServerProblems(cluster(safe, safe, lazy));
    expect(problems).toEqual([expect.stringMatching(/^Server n3 .*: set `sync_interval: always`/)]);
  });

  test("are refused if one accepts too small messages only", () => {
    const small: ServerSettings = { ...safe, name: "n2", maxPayload: 8 * 1024 * 1024 - 1 };
    const problems = findServerProblems(cluster(safe, small, safe));
    expect(problems).toEqual([expect.stringMatching(/^Server n2 .*: set `max_payload: 8MB`\.$/)]);
  });

  test("are refused for all their problems at once", () => {
    const worst: ServerSettings = {
      id: "N1",
      name: "n1",
      version: "2.9.10",
      maxPayload: 1024,
      jetStream: { syncsAlways: false },
    };
    expect(findServerProblems({ servers: [worst], size: 2 })).toHaveLength(5);
  });
});

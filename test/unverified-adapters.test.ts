import { adapters, unverifiedAdapters } from "@fairlead/adapters";
import type { Opening, ProbeHost } from "@fairlead/contract";
import { SessionReducer } from "@fairlead/reducer";
import { describe, expect, test } from "vitest";

const ids = unverifiedAdapters.map(({ manifest }) => manifest.id);

test("has unique ids that no verified adapter has", () => {
  const allIds = [...ids, ...adapters.map(({ manifest }) => manifest.id)];
  expect(new Set(allIds).size).toBe(allIds.length);
  expect(ids.length).toBeGreaterThan(5);
});

describe.each(unverifiedAdapters)("$manifest.id", (agent) => {
  const host: ProbeHost = {
    find: async (program) => `/bin/${program}`,
    run: async () => ({ code: 0, stdout: "1.2.3", stderr: "" }),
    hasVariable: () => false,
    exists: async () => false,
  };

  test("reports in its probe that it is unverified, or how to install it", async () => {
    const installed = await agent.probe(host);
    expect(installed).toMatchObject({ installed: true, version: "1.2.3" });
    expect(installed.problems.join(" ")).toMatch(/^Unverified/);
    const missing = await agent.probe({ ...host, find: async () => null });
    expect(missing.installed).toBe(false);
    expect(missing.problems[0]).toMatch(/is not installed: (run|see) /);
  });

  test("launches the program and sends the initialize request", async () => {
    const opening: Opening = {
      session: "s",
      name: null,
      agent: agent.manifest.id,
      adapterVersion: "1",
      workspace: "/w",
      mode: "default",
      settings: {},
      probeResult: await agent.probe(host),
      continues: null,
    };
    const reducer = new SessionReducer(agent);
    const note = { kind: "note", process: 0, at: 0, id: "" } as const;
    const bytes = (value: object): Buffer => Buffer.from(JSON.stringify(value));
    reducer.reduce({ ...note, seq: 1, bytes: bytes({ type: "opening", opening }) });
    const { pendingEffects } = reducer.reduce({
      ...note,
      seq: 2,
      bytes: bytes({ type: "command", command: { type: "open" } }),
    });
    expect(pendingEffects.map(({ effect }) => effect.type)).toEqual(["launch", "write"]);
    expect(JSON.stringify(pendingEffects[1]?.effect)).toContain("initialize");
  });
});

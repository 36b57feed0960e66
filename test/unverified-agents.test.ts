import { adapters, unverifiedAgents } from "@fairlead/adapters";
import type { Opening, ProbeHost } from "@fairlead/contract";
import { Fold } from "@fairlead/kit";
import { describe, expect, test } from "vitest";

const names = unverifiedAgents.map(({ manifest }) => manifest.id);

test("no name is taken twice, or by an agent that was judged", () => {
  const all = [...names, ...adapters.map(({ manifest }) => manifest.id)];
  expect(new Set(all).size).toBe(all.length);
  expect(names.length).toBeGreaterThan(5);
});

describe.each(unverifiedAgents)("$manifest.id", (agent) => {
  const host: ProbeHost = {
    find: async (program) => `/bin/${program}`,
    run: async () => ({ code: 0, stdout: "1.2.3", stderr: "" }),
    has: () => false,
    exists: async () => false,
  };

  test("is said to be unverified by its probe, or how it is installed", async () => {
    const found = await agent.probe(host);
    expect(found).toMatchObject({ installed: true, version: "1.2.3" });
    expect(found.problems.join(" ")).toMatch(/^Unverified/);
    const missing = await agent.probe({ ...host, find: async () => null });
    expect(missing.installed).toBe(false);
    expect(missing.problems[0]).toMatch(/is not installed: (run|see) /);
  });

  test("is started and greeted in the protocol's words", async () => {
    const opening: Opening = {
      session: "s",
      name: null,
      agent: agent.manifest.id,
      adapterVersion: "1",
      workspace: "/w",
      mode: "default",
      settings: {},
      finding: await agent.probe(host),
      continues: null,
    };
    const fold = new Fold(agent);
    const note = { kind: "note", process: 0, at: 0, id: "" } as const;
    const bytes = (value: object): Buffer => Buffer.from(JSON.stringify(value));
    fold.take({ ...note, seq: 1, bytes: bytes({ type: "opening", opening }) });
    const { orders } = fold.take({ ...note, seq: 2, bytes: bytes({ type: "wish", wish: { type: "open" } }) });
    expect(orders.map(({ effect }) => effect.type)).toEqual(["launch", "say"]);
    expect(JSON.stringify(orders[1]?.effect)).toContain("initialize");
  });
});

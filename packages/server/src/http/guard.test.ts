import { describe, expect, test } from "vitest";
import { createApp } from "./app.ts";
import { askRaw } from "./ask-raw.ts";
import { Ground } from "./ground-for-test.ts";
import { type GuardCase, guardCases } from "./guard-cases.ts";
import type { Grant } from "./guard.ts";
import { usualLimits } from "./limits.ts";
import { Listener } from "./listener.ts";

/** The cases for a ground, with tokens that were issued there. */
function casesFor(ground: Ground, port: number): GuardCase[] {
  const { tokens, session } = ground;
  const issued = {
    owner: tokens.issue({ label: "owner", scopes: ["read", "drive", "approve", "admin"] }),
    read: tokens.issue({ label: "reader", scopes: ["read"] }),
    drive: tokens.issue({ label: "driver", scopes: ["read", "drive"] }),
    approve: tokens.issue({ label: "approver", scopes: ["read", "approve"] }),
    report: tokens.issue({ label: "agent", scopes: ["report"], session }),
  };
  return guardCases({ port, session, tokens: issued });
}

const portOf = (url: string | null): number => Number(new URL(url!).port);

describe("the guard", () => {
  test("lets in whom it should and nobody else, and whoever is refused reaches nothing", async () => {
    await using ground = await Ground.open();
    const { url } = await ground.serve({ port: 0 });
    const cases = casesFor(ground, portOf(url));
    expect(cases.length).toBeGreaterThan(60);
    for (const { name, request, status } of cases) {
      const before = ground.calls;
      const answer = await askRaw(portOf(url), request);
      expect({ name, status: answer.status }).toEqual({ name, status });
      expect(answer.head, name).not.toContain("access-control");
      if (status === 404) expect(answer.head, name).toContain("content-type: application/problem+json");
      if (status >= 400) expect({ name, calls: ground.calls - before }).toEqual({ name, calls: 0 });
    }
  });

  test("control: without it, every refusal but that of unknown paths is one no longer", async () => {
    await using ground = await Ground.open();
    const grant: Grant = { label: "anybody", scopes: ["read", "drive", "approve", "admin"] };
    const app = createApp({
      fairlead: ground.fairlead,
      admit: () => ({ grant }),
      limits: usualLimits,
      ending: new AbortController().signal,
    });
    await using listener = await Listener.open(app, 100, { host: "127.0.0.1", port: 0 });
    const refusals = casesFor(ground, listener.port!).filter(({ status }) => status >= 400 && status !== 404);
    const held: string[] = [];
    for (const { name, request, status } of refusals) {
      if ((await askRaw(listener.port!, request)).status === status) held.push(name);
    }
    // The library under us takes no backslash either; the rest only the guard holds back.
    expect(held).toEqual(["along /v1\\health: 400"]);
  });
});

import assert from "node:assert/strict";
import type { Rehearsal } from "../rehearsal.ts";
import type { Scenario } from "../scenario.ts";
import type { Served } from "../stage.ts";
import { allowAll } from "./tools.ts";

type Totals = Record<string, Served["tokens"]>;

function add(totals: Totals, model: string, tokens: Served["tokens"]): void {
  const { uncached, cacheRead, cacheWrite, output } = totals[model] ?? {
    uncached: 0,
    cacheRead: 0,
    cacheWrite: 0,
    output: 0,
  };
  totals[model] = {
    uncached: uncached + tokens.uncached,
    cacheRead: cacheRead + tokens.cacheRead,
    cacheWrite: cacheWrite + tokens.cacheWrite,
    output: output + tokens.output,
  };
}

function reported(rehearsal: Rehearsal): Totals {
  const totals: Totals = {};
  for (const { model, tokens } of rehearsal.all("usage.reported")) add(totals, model, tokens);
  return totals;
}

function served(rehearsal: Rehearsal): Totals {
  const totals: Totals = {};
  for (const { model, tokens } of rehearsal.stage.served?.() ?? []) add(totals, model, tokens);
  return totals;
}

/** Three turns, one with tools, and one after a resume: the tokens reported must be the tokens served. */
export const meters: Scenario = {
  name: "meters over three turns and a resume",
  needs: ["usage"],
  cites: ["usage:exact", "usage:cost", "session:model"],
  async perform(rehearsal, verifies) {
    const session = await rehearsal.start();
    await rehearsal.play({ text: "One." });
    await rehearsal.the("turn.ended");
    await rehearsal.play({ acts: [{ write: { path: "note.txt", content: "x" } }] }, { text: "Two." });
    await allowAll(rehearsal, 2);
    const half = reported(rehearsal);
    const seen = rehearsal.stage.served !== undefined;
    if (seen) await verifies("usage:exact", () => assert.deepEqual(half, served(rehearsal)));
    if (rehearsal.declares("resume")) {
      await session.pause();
      await rehearsal.the("session.paused");
      await rehearsal.resume();
    }
    await rehearsal.play({ text: "Three." });
    await rehearsal.the("turn.ended", 3);
    if (seen) await verifies("usage:exact", () => assert.deepEqual(reported(rehearsal), served(rehearsal)));
    await verifies("usage:cost", () => {
      // One price per token and model: a running total taken for a difference would make the last turn the dearest.
      const byModel = Object.groupBy(rehearsal.all("usage.reported"), (usage) => usage.model);
      for (const [model, usages = []] of Object.entries(byModel)) {
        const rates = usages.map(
          ({ cost, tokens }) => (cost?.amount ?? Number.NaN) / (tokens.uncached + tokens.output),
        );
        const differ = `costs per token of ${model} differ: ${rates.join(", ")}`;
        assert.ok(Math.max(...rates) < 1.5 * Math.min(...rates), differ);
      }
      assert.ok(
        Object.values(byModel).some((usages = []) => usages.length >= 2),
        "there is nothing to compare",
      );
    });
    await verifies("session:model", () => {
      const model = rehearsal.all("usage.reported")[0]?.model;
      assert.ok(
        rehearsal.events.filter(({ body }) => body.type === "turn.ended").every((event) => event.model === model),
      );
    });
  },
};

import assert from "node:assert/strict";
import type { EventOf } from "@fairlead/contract";
import type { ScenarioRun } from "../scenario-run.ts";
import type { Scenario } from "../scenario.ts";
import type { ServedUsage } from "../test-bench.ts";
import { allowAll } from "./allow-all.ts";

type TokenTotals = Record<string, ServedUsage["tokens"]>;

function addToTotals(totals: TokenTotals, model: string, tokens: ServedUsage["tokens"]): void {
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

/** Sums the tokens that the agent reported, by model. */
export function sumReported(run: ScenarioRun): TokenTotals {
  const totals: TokenTotals = {};
  for (const { model, tokens } of run.eventsOfType("usage.reported")) addToTotals(totals, model, tokens);
  return totals;
}

/** Sums the tokens that the model API served, by model, with or without auxiliary requests. */
export function sumServed(run: ScenarioRun, withAuxiliary = true): TokenTotals {
  const totals: TokenTotals = {};
  for (const { model, tokens, auxiliary } of run.bench.readServedUsage?.() ?? [])
    if (withAuxiliary || auxiliary !== true) addToTotals(totals, model, tokens);
  return totals;
}

/** Computes the cost per token of each report with a cost. It is that of the reports before it, too, that have none. */
function computeRates(usages: readonly EventOf<"usage.reported">[]): number[] {
  const rates: number[] = [];
  let count = 0;
  for (const { cost, tokens } of usages) {
    count += tokens.uncached + tokens.output;
    if (cost === null) continue;
    rates.push(cost.amount / count);
    count = 0;
  }
  // Tokens without a cost after them have an unknown rate.
  return count > 0 ? [...rates, Number.NaN] : rates;
}

/** Runs three turns, one with tools and one after a resume, and compares the reported tokens with the served ones. */
export const usageAcrossTurns: Scenario = {
  name: "meters over three turns and a resume",
  needs: ["usage"],
  clauses: ["usage:exact", "usage:cost", "session:model"],
  async execute(run, verify) {
    const session = await run.start();
    await run.runSteps({ text: "One." });
    await run.waitForEvent("turn.ended");
    await run.runSteps({ actions: [{ write: { path: "note.txt", content: "x" } }] }, { text: "Two." });
    await allowAll(run, 2);
    const reportedBeforeResume = sumReported(run);
    const canReadServedUsage = run.bench.readServedUsage !== undefined;
    if (canReadServedUsage) await verify("usage:exact", () => assert.deepEqual(reportedBeforeResume, sumServed(run)));
    if (run.declares("resume")) {
      await session.pause();
      await run.waitForEvent("session.paused");
      await run.resume();
    }
    await run.runSteps({ text: "Three." });
    await run.waitForEvent("turn.ended", 3);
    if (canReadServedUsage) await verify("usage:exact", () => assert.deepEqual(sumReported(run), sumServed(run)));
    await verify("usage:cost", () => {
      // The price per token must be constant per model. An adapter that reports a running total as a difference would
      // make the last turn the most expensive.
      const byModel = Object.groupBy(run.eventsOfType("usage.reported"), (usage) => usage.model);
      const ratesOfModels: number[][] = [];
      for (const [model, usages = []] of Object.entries(byModel)) {
        const rates = computeRates(usages);
        ratesOfModels.push(rates);
        const message = `costs per token of ${model} differ: ${rates.join(", ")}`;
        assert.ok(Math.max(...rates) < 1.5 * Math.min(...rates), message);
      }
      assert.ok(
        ratesOfModels.some((rates) => rates.length >= 2),
        "no model has two reports of a cost to compare",
      );
    });
    await verify("session:model", () => {
      const model = run.eventsOfType("usage.reported")[0]?.model;
      assert.ok(run.events.filter(({ body }) => body.type === "turn.ended").every((event) => event.model === model));
    });
  },
};

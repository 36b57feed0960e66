import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { EventOf } from "@fairlead/contract";
import type { StartOptions } from "@fairlead/runtime";
import type { Scenario } from "../scenario.ts";
import type { ScenarioRun } from "../scenario-run.ts";
import type { BenchAction } from "../test-bench.ts";

/** A policy that asks a person about everything, in the mode that would allow everything. */
const askAlways = {
  mode: "full-auto",
  policy: { rules: [{ verdict: "ask" }] },
} as const satisfies Partial<StartOptions>;

/** Milliseconds. Longer than the one minute after which old versions of an agent took no answer for a yes. */
const longestOwnTimeout = 65_000;

/** One call of the model, and the file that shows that it ran. */
const calls: readonly { readonly action: BenchAction; readonly effect?: string }[] = [
  { action: { run: "ls", unescalated: true } },
  { action: { read: "seed.txt" } },
  { action: { run: "touch made-by-command.txt", unescalated: true }, effect: "made-by-command.txt" },
  { action: { write: { path: "made-by-tool.txt", content: "made\n" } }, effect: "made-by-tool.txt" },
];

export const everyCallAsked: Scenario = {
  name: "every call asked about",
  needs: ["asks-all"],
  clauses: ["gate:every"],
  async execute(run, verify) {
    writeFileSync(join(run.workspace, "seed.txt"), "seed\n");
    const session = await run.start(askAlways);
    await run.runSteps(...calls.map(({ action }) => ({ actions: [action] })), { text: "Done." });
    const ranUnasked: string[] = [];
    for (const [index, { effect }] of calls.entries()) {
      const { decision } = await run.waitForEvent("decision.requested", index + 1);
      if (effect !== undefined && existsSync(join(run.workspace, effect))) ranUnasked.push(effect);
      await session.answer(decision, { type: "allow" });
    }
    await run.waitForEvent("turn.ended");
    await verify("gate:every", () => {
      assert.deepEqual(ranUnasked, []);
      const requested = run.eventsOfType("tool.requested").map(({ call }) => call);
      assert.equal(requested.length, calls.length);
      // Each call once, in the order in which they were requested.
      assert.deepEqual(
        run.eventsOfType("decision.requested").map(({ call }) => call),
        requested,
      );
      const started = run.eventsOfType("tool.started");
      assert.deepEqual(
        started.map(({ call, enforcement }) => [call, enforcement]),
        requested.map((call) => [call, "gated"]),
      );
      for (const { effect } of calls) if (effect !== undefined) assert.ok(existsSync(join(run.workspace, effect)));
    });
  },
};

export const someCallsDenied: Scenario = {
  name: "some of the calls asked about denied",
  needs: ["asks-all", "told-denials"],
  clauses: ["gate:every", "decision:deny"],
  async execute(run, verify) {
    const session = await run.start(askAlways);
    const touch = (name: string): BenchAction => ({ run: `touch ${name}`, unescalated: true });
    await run.runSteps(
      { actions: [touch("first"), touch("second")] },
      { actions: [touch("third")] },
      { text: "Done." },
    );
    const isDenied = (input: unknown): boolean => JSON.stringify(input).includes("second");
    for (let nth = 1; nth <= 3; nth += 1) {
      const { decision, input } = await run.waitForEvent("decision.requested", nth);
      const denial = { type: "deny", message: "Not this one.", interrupt: false } as const;
      await session.answer(decision, isDenied(input) ? denial : { type: "allow" });
    }
    const { outcome } = await run.waitForEvent("turn.ended");
    await verify("gate:every", () => {
      const ran = ["first", "second", "third"].filter((name) => existsSync(join(run.workspace, name)));
      assert.deepEqual([ran, outcome], [["first", "third"], "completed"]);
    });
    await verify("decision:deny", () => {
      const denied = run.eventsOfType("tool.requested").find(({ input }) => isDenied(input));
      const ended = run.eventsOfType("tool.ended").find(({ call }) => call === denied?.call);
      assert.deepEqual([ended?.ok, ended?.reason], [false, "denied"]);
    });
  },
};

export const unansweredCall: Scenario = {
  name: "a call that is not answered",
  needs: ["asks-all"],
  clauses: ["gate:closed"],
  async execute(run, verify) {
    const session = await run.start(askAlways);
    const { decision } = await requestTouch(run);
    await wait(longestOwnTimeout);
    const ranUnanswered = existsSync(join(run.workspace, "made.txt"));
    await session.answer(decision, { type: "deny", message: "", interrupt: false }).catch(() => {}); // the agent gave up
    await run.waitForEvent("turn.ended");
    await verify("gate:closed", () => {
      assert.equal(ranUnanswered, false);
      assert.equal(existsSync(join(run.workspace, "made.txt")), false);
      assert.equal(run.eventsOfType("tool.started").length, 0);
    });
  },
};

export const interruptedGate: Scenario = {
  name: "interrupt while a call is asked about",
  needs: ["asks-all", "interrupt"],
  clauses: ["gate:closed", "interrupt:decision"],
  async execute(run, verify) {
    const session = await run.start(askAlways);
    await requestTouch(run);
    await session.interrupt();
    const { outcome } = await run.waitForEvent("turn.ended");
    await verify("interrupt:decision", () => {
      const { outcome: resolution, by } = run.eventsOfType("decision.resolved")[0] ?? {};
      assert.deepEqual([outcome, resolution, by?.kind], ["interrupted", "canceled", "person"]);
    });
    await run.runSteps({ actions: [{ run: "touch next.txt", unescalated: true }] }, { text: "Done." });
    const next = await run.waitForEvent("decision.requested", 2);
    await session.answer(next.decision, { type: "allow" });
    await run.waitForEvent("turn.ended", 2);
    await verify("gate:closed", () => {
      const ran = ["made.txt", "next.txt"].filter((name) => existsSync(join(run.workspace, name)));
      assert.deepEqual(ran, ["next.txt"]);
    });
  },
};

export const gatedEdit: Scenario = {
  name: "edited input of a call asked about",
  needs: ["asks-all", "edited-approvals"],
  clauses: ["decision:edit"],
  async execute(run, verify) {
    const session = await run.start(askAlways);
    await run.runSteps({ actions: [{ write: { path: "note.txt", content: "asked\n" } }] }, { text: "Done." });
    const { decision, input } = await run.waitForEvent("decision.requested");
    const edited = JSON.parse(JSON.stringify(input).replace("asked", "edited")) as unknown;
    await session.answer(decision, { type: "allow", input: edited });
    await run.waitForEvent("turn.ended");
    await verify("decision:edit", () => {
      assert.equal(readFileSync(join(run.workspace, "note.txt"), "utf8"), "edited\n");
      assert.equal(run.eventsOfType("decision.requested").length, 1);
    });
  },
};

async function requestTouch(run: ScenarioRun): Promise<EventOf<"decision.requested">> {
  await run.runSteps({ actions: [{ run: "touch made.txt", unescalated: true }] }, { text: "Done." });
  return await run.waitForEvent("decision.requested");
}

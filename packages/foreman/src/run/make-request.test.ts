import { ForemanBench } from "@fairlead/testing/foreman/foreman-bench.ts";
import type { RunEventBody } from "@fairlead/api";
import { RunRepository } from "@fairlead/runtime";
import { expect, test } from "vitest";
import type { WorkflowContext } from "../workflows/workflows.ts";
import { makeRequest } from "./make-request.ts";
import { readRunFacts } from "./run-dependencies.ts";

const run = "run-1";
const changes = { files: 1, added: 1, removed: 0 };
const agent = { session: "s", agent: "a", vendor: "v" };

/** An engine that runs each step once and remembers nothing. */
const context = {
  run,
  step: async (name: string, act: (step: { key: string; signal: AbortSignal }) => Promise<unknown>) =>
    await act({ key: name, signal: new AbortController().signal }),
} as unknown as WorkflowContext;

/** Writes what happened before the request, about some trees, and makes the request for the base commit. */
async function request(
  verdict: object,
  decision: object,
  resolution: object,
): Promise<{ error: string; pushed: string }> {
  await using bench = await ForemanBench.open();
  const { home } = bench.home;
  // Nothing is built here: the run is only a log.
  bench.workflows.start = () => Promise.resolve();
  await bench.start(run, { tasks: [{ id: "a", brief: "x" }] });
  const dependencies = { fairlead: bench.fairlead, log: bench.log, home, environment: process.env, now: Date.now };
  const facts = await readRunFacts(dependencies, run);
  const tree = await new RunRepository(home, run).readTree(facts.base);
  const events = [
    { type: "verdict.given", ...agent, tree, verdict: "approve", findings: [], ...verdict },
    {
      type: "decision.requested",
      decision: "approval",
      tree,
      changes,
      findings: [],
      acceptance: [],
      usd: null,
      deadline: null,
      ...decision,
    },
    { type: "decision.resolved", decision: "approval", outcome: "allowed", by: "person", ...resolution },
  ];
  for (const [index, body] of events.entries()) await bench.log.append(run, `event-${index}`, body as RunEventBody);
  const error = await makeRequest(dependencies, facts, context, { commit: facts.base, tree }).then(
    () => "",
    (failure: Error) => failure.message,
  );
  return { error, pushed: bench.remoteGit("for-each-ref", "--format=%(refname)") };
}

test("a tree with a verdict and an approval is pushed", async () => {
  expect(await request({}, {}, {})).toEqual({ error: "", pushed: `refs/heads/fairlead/${run}` });
});

test.each([
  [{ verdict: "changes" }, {}, {}, "The last verdict does not approve this tree."],
  [{ tree: "another" }, {}, {}, "The last verdict does not approve this tree."],
  [{}, { tree: "another" }, {}, "The person was asked about another tree."],
  [{}, {}, { outcome: "denied" }, "No person approved this tree."],
  [{}, {}, { outcome: "timed-out" }, "No person approved this tree."],
] as const)("after %j, %j and %j nothing is pushed", async (verdict, decision, resolution, error) => {
  expect(await request(verdict, decision, resolution)).toEqual({ error, pushed: "" });
});

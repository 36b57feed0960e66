import { join } from "node:path";
import { withScript } from "@fairlead/kit";
import { Plan } from "@fairlead/api";
import { PullRequestServer } from "@fairlead/testing/foreman/pull-request-server.ts";
import { reviewFile, submitStep, writeStep } from "@fairlead/testing/foreman/scripts.ts";
import type { SeededRandom } from "../../measure/seeded-random.ts";
import { TestHome } from "../../measure/test-home.ts";
import { createRepository, killForeman, type KilledRun } from "./kill-foreman.ts";

export interface CrashedRuns {
  readonly runs: readonly KilledRun[];
  readonly kills: number;
  /** Requests to make a pull request that arrived. */
  readonly posts: number;
  readonly pulls: number;
}

/** One task with a failing command, a repair, a finding, a repair and an approval. */
function createPlan(api: string): Plan {
  const repaired = writeStep({ "b.txt": "right\n", ...reviewFile(submitStep("approve")) });
  const finding = { path: "b.txt", what: withScript("Wrong.", [repaired]), severity: "error" };
  const next = writeStep({ "b.txt": "ok\n", "next.txt": "", ...reviewFile(submitStep("changes", [finding])) });
  const first = writeStep({ "b.txt": "no\n", "next.txt": withScript("x", [next]) });
  return Plan.parse({
    goal: "Do it",
    builder: { agent: "scripted", mode: "full-auto" },
    reviewer: { agent: "scripted-second" },
    tasks: [{ id: "write", brief: withScript("Go.", [first]) }],
    setup: ["touch prepared"],
    acceptance: ["test -f prepared; cat next.txt; ! grep -q no b.txt"],
    forge: { kind: "github", api, repository: "owner/name" },
  });
}

/** Kills services until the number is reached, over as many runs as that takes. */
export async function crashScripted(
  random: SeededRandom,
  {
    kills,
    perRun,
    randomKeys = false,
  }: { readonly kills: number; readonly perRun: number; readonly randomKeys?: boolean },
): Promise<CrashedRuns> {
  await using server = await PullRequestServer.open();
  const runs: KilledRun[] = [];
  for (let left = kills; left > 0 || runs.length === 0;) {
    await using testHome = new TestHome({ ...process.env, GITHUB_TOKEN: "secret" });
    const { workspace, remote } = createRepository(testHome.folder, "project");
    const run = await killForeman(random, {
      home: testHome.home.folder,
      workspace,
      remote: join(remote),
      plan: createPlan(server.url),
      environment: testHome.environment,
      kills: Math.min(left, perRun),
      oneOf: 9,
      maxDelay: 250,
      randomKeys,
    });
    runs.push(run);
    left -= run.kills;
    if (kills === 0) break;
  }
  return {
    runs,
    kills: runs.reduce((sum, run) => sum + run.kills, 0),
    posts: server.requests.filter((one) => one.startsWith("POST")).length,
    pulls: server.pulls.length,
  };
}

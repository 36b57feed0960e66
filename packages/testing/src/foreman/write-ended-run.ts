import { Plan, type RunEventBody } from "@fairlead/api";
import { Home } from "@fairlead/runtime";
import { RunLog } from "../../../foreman/src/log/run-log.ts";

const changes = { files: 1, added: 2, removed: 0 };
const command = { command: "npm test", session: "s3", passed: true, problem: null, output: "" };
const builder = { session: "s1", agent: "north", vendor: "North" };
const reviewer = { session: "s2", agent: "south", vendor: "South" };
const plan = Plan.parse({ goal: "Greet", tasks: [{ id: "a", brief: "b" }], reviewer: {}, forge: { kind: "git" } });

/** Writes the events of a run that has ended into a data directory. */
export async function writeEndedRun(folder: string, run: string): Promise<void> {
  const bodies: RunEventBody[] = [
    { type: "run.started", plan, workspace: "/w", base: "c0", by: "ann" },
    { type: "task.started", task: "a", ...builder, base: "c0" },
    { type: "snapshot.made", task: "a", session: "s1", tree: "t1", commit: "c1", changes },
    { type: "acceptance.ended", task: "a", tree: "t1", passed: true, commands: [command] },
    { type: "task.ended", task: "a", outcome: "done", reason: "", commit: "c1" },
    { type: "review.started", ...reviewer, tree: "t1", round: 1 },
    { type: "verdict.given", ...reviewer, tree: "t1", verdict: "approve", findings: [] },
    {
      type: "decision.requested",
      decision: "d",
      tree: "t1",
      changes,
      findings: [],
      acceptance: [],
      usd: 1,
      deadline: null,
    },
    { type: "decision.resolved", decision: "d", outcome: "allowed", by: "ann" },
    { type: "branch.pushed", branch: `fairlead/${run}`, commit: "c1", tree: "t1", remote: "origin" },
    { type: "request.made", branch: `fairlead/${run}`, address: "file:///request" },
    { type: "run.ended", outcome: "done", reason: "The request was made." },
  ];
  await using log = await RunLog.open(new Home(folder).runLogFile);
  for (const [index, body] of bodies.entries()) await log.append(run, String(index), body);
}

import { execFileSync } from "node:child_process";
import { Plan } from "@fairlead/api";
import { Home, RunRepository } from "@fairlead/runtime";
import { RunLog } from "../../../foreman/src/log/run-log.ts";
import { PersonRepository } from "../runtime/person-repository.ts";
import { brief, reviewFile, submitStep, writeStep } from "./scripts.ts";

/**
 * Writes the first event of a run into a data directory, as a process did that was killed then. The next daemon continues
 * it. The scripted agent both builds and reviews: `check` would refuse such a plan, and a daemon has no second vendor's.
 */
export async function writeStartedRun(folder: string, run: string, workspace: string, remote: string): Promise<void> {
  const home = new Home(folder);
  home.create();
  const person = new PersonRepository(workspace);
  execFileSync("git", ["init", "--quiet", "--bare", remote]);
  person.git("remote", "add", "origin", remote);
  const task = brief("Write b.txt.", writeStep({ "b.txt": "two\n", ...reviewFile(submitStep("approve")) }));
  const plan = Plan.parse({
    goal: "Write b.txt",
    tasks: [{ id: "write", brief: task }],
    acceptance: ["test -f b.txt"],
    builder: { agent: "scripted", mode: "full-auto" },
    reviewer: { agent: "scripted" },
    forge: { kind: "git" },
  });
  const { base } = await new RunRepository(home, run).create(workspace);
  await using log = await RunLog.open(home.runLogFile);
  await log.append(run, "started", { type: "run.started", plan, workspace, base, by: "ann" });
}

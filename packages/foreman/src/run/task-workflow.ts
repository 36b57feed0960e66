import type { ReviewFinding } from "@fairlead/api";
import type { Json, WorkflowBody } from "../workflows/workflows.ts";
import { completeBuild, returnWork } from "./build.ts";
import { joinCommits } from "./join.ts";
import { builderOf, readRunFacts, type RunDependencies } from "./run-dependencies.ts";
import { RunEnded } from "./run-ended.ts";
import { chooseSessionLimits, startRunAgent } from "./start-run-agent.ts";
import { describeFindings, describeTask } from "./texts.ts";
import { requireWork, toWork } from "./work.ts";
import { childIds, joinedTask } from "./child-ids.ts";

type TaskInput = { readonly run: string; readonly task: string };
type RepairInput = TaskInput & {
  readonly session: string;
  readonly after: number;
  readonly base: string;
  readonly round: number;
  readonly findings: readonly ReviewFinding[];
};

/** Builds one task: after the tasks that it names, in a clone that starts with their work. */
export function createTaskWorkflow(dependencies: RunDependencies): WorkflowBody {
  return async (context, input) => {
    const { run, task: id } = input as TaskInput;
    const facts = await readRunFacts(dependencies, run);
    const { plan } = facts;
    const { log } = dependencies;
    const work = await toWork(async () => {
      const task = plan.tasks.find((one) => one.id === id);
      if (task === undefined) throw new RunEnded("failed", `The plan has no task ${id}.`);
      const earlier: { name: string; brief: string; commit: string }[] = [];
      for (const before of task.after) {
        const child = await context.child("task", childIds.task(run, before), { run, task: before });
        const brief = plan.tasks.find((one) => one.id === before)?.brief ?? "";
        const { commit } = requireWork(await child.result());
        earlier.push({ name: before, brief, commit });
      }
      const base = (await joinCommits(dependencies, facts, context, { prefix: "base", sides: earlier })).commit;
      const share = { name: "limits", sessions: plan.tasks.length };
      const limits = await chooseSessionLimits(dependencies, facts, context, share);
      const started = await context.step("start", async (step) => {
        const start = { role: builderOf(plan, id), name: id, base, brief: describeTask(plan, task), limits };
        const agent = await startRunAgent(dependencies, facts, start, step);
        await log.append(run, step.key, { type: "task.started", task: id, ...agent, base });
        return agent;
      });
      const turn = { session: started.session, turn: null, after: 0 };
      const message = `${id}: ${plan.goal.split("\n", 1)[0] ?? ""}\n`;
      return await completeBuild(dependencies, facts, context, turn, {
        task: id,
        prefix: "build",
        parents: [base],
        message,
      });
    });
    const { outcome, reason, commit } = work;
    await context.step("end", async ({ key }) => {
      await log.append(run, key, { type: "task.ended", task: id, outcome, reason, commit });
      return null;
    });
    return work;
  };
}

/** Sends the findings of a reviewer to the session of a task, and builds again. */
export function createRepairWorkflow(dependencies: RunDependencies): WorkflowBody {
  return async (context, input: Json) => {
    const { run, session, after, base, round, findings, ...owner } = input as unknown as RepairInput;
    const task = owner.task === joinedTask ? null : owner.task;
    const facts = await readRunFacts(dependencies, run);
    return await toWork(async () => {
      const text = describeFindings(findings);
      const returned = { name: "return", task, session, reason: "findings" as const, round, text, after };
      const open = await returnWork(dependencies, facts, context, returned);
      const message = `${task ?? "joined"}: ${facts.plan.goal.split("\n", 1)[0] ?? ""}\n`;
      const options = { task, prefix: "build", parents: [base], message };
      return await completeBuild(dependencies, facts, context, { session, ...open }, options);
    });
  };
}

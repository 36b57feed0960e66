import { FairleadError } from "@fairlead/contract";
import type { ReviewFinding, RunEvent, RunOutcome } from "@fairlead/api";
import {
  StepFailed,
  WorkflowCanceled,
  type StepContext,
  type ChildRun,
  type WorkflowBody,
  type WorkflowContext,
} from "../workflows/workflows.ts";
import { requestApproval } from "./request-approval.ts";
import { z } from "zod";
import { isTransientStepError } from "../workflows/transient-error.ts";
import { childIds, joinedTask } from "./child-ids.ts";
import type { JoinSide } from "./join.ts";
import { makeRequest } from "./make-request.ts";
import { readRunFacts, repositoryOf, type RunDependencies, type RunFacts } from "./run-dependencies.ts";
import { RunEnded } from "./run-ended.ts";
import { listRunSessions } from "./list-run-sessions.ts";
import { findSharedVendor } from "./vendors.ts";
import { asJson, requireWork } from "./work.ts";

type UsableWork = ReturnType<typeof requireWork>;

/** The session that repairs some of the findings. */
type FindingOwner = {
  readonly task: string;
  readonly session: string;
  readonly after: number;
  /** The parent of its commits. */
  readonly base: string;
  /** Which findings. */
  readonly indexes: number[];
};

/** The whole run: build, join, review, ask a person, push, request. */
export function createRunWorkflow(dependencies: RunDependencies): WorkflowBody {
  return async (context, input) => {
    const { run } = input as { readonly run: string };
    const facts = await readRunFacts(dependencies, run);
    const conductor = new RunConductor(dependencies, facts, context);
    const { outcome, reason } = await conductor.run();
    return { outcome, reason };
  };
}

class RunConductor {
  readonly #dependencies: RunDependencies;
  readonly #facts: RunFacts;
  readonly #context: WorkflowContext;
  readonly #children: ChildRun[] = [];

  constructor(dependencies: RunDependencies, facts: RunFacts, context: WorkflowContext) {
    this.#dependencies = dependencies;
    this.#facts = facts;
    this.#context = context;
  }

  async run(): Promise<{ readonly outcome: RunOutcome; readonly reason: string }> {
    const end = await this.#conduct().catch((error: unknown) => {
      if (error instanceof WorkflowCanceled) return { outcome: "canceled" as const, reason: "A person canceled it." };
      if (error instanceof RunEnded) return { outcome: error.outcome, reason: error.message };
      if (error instanceof StepFailed || error instanceof z.ZodError)
        return { outcome: "failed" as const, reason: error.message };
      throw error;
    });
    const { log } = this.#dependencies;
    const { run } = this.#facts;
    // First, so that a child which waits for its agent continues and ends. Then again: it may have started another one.
    await this.#endingStep("stop-sessions", ({ key, signal }) => this.#stopSessions(key, signal));
    for (const child of this.#children) await afterCancel(() => child.result());
    await this.#endingStep("stop-last-sessions", ({ key, signal }) => this.#stopSessions(key, signal));
    await this.#endingStep("end", async ({ key }) => {
      await log.append(run, key, { type: "run.ended", ...end });
      return null;
    });
    return end;
  }

  /** A step at the end of the run. A cancellation that comes now does not skip it: a run always says how it ended. */
  async #endingStep(name: string, act: (step: StepContext) => Promise<null>): Promise<void> {
    let attempt = 0;
    await afterCancel(() => this.#context.step(attempt++ === 0 ? name : `${name}-after-cancel`, act));
  }

  async #conduct(): Promise<{ readonly outcome: RunOutcome; readonly reason: string }> {
    const { plan, run } = this.#facts;
    const built = await this.#buildTasks();
    const noOp = { outcome: "no-op", reason: "No task changed anything." } as const;
    if (this.#listSides(built).length === 0) return noOp;
    let earlier: readonly ReviewFinding[] = [];
    let joined = await this.#join(1, built);
    for (let round = 1; ; round += 1) {
      const { verdict, findings } = await this.#review(round, joined, earlier);
      await this.#assertTwoVendors(round);
      if (verdict === "approve") break;
      if (round > plan.rounds)
        throw new RunEnded(
          "exhausted",
          `The reviewer still asks for changes after ${plan.rounds} ${plan.rounds === 1 ? "round" : "rounds"}.`,
        );
      earlier = findings;
      joined = await this.#repair(round, joined, built, findings);
      if (joined.commit === this.#facts.base) return noOp;
    }
    const { commit, tree } = joined;
    await requestApproval(this.#dependencies, this.#facts, this.#context, { commit, tree });
    const address = await makeRequest(this.#dependencies, this.#facts, this.#context, { commit, tree });
    return { outcome: "done", reason: `The request for fairlead/${run} was made: ${address}` };
  }

  /** Builds all tasks. Those that depend on no other one work at the same time. */
  async #buildTasks(): Promise<Map<string, UsableWork>> {
    const { plan, run } = this.#facts;
    const children = new Map<string, ChildRun>();
    for (const { id } of plan.tasks)
      children.set(id, await this.#child("task", childIds.task(run, id), { run, task: id }));
    const built = new Map<string, UsableWork>();
    for (const [id, child] of children) built.set(id, requireWork(await child.result()));
    return built;
  }

  /** Lists the work to merge. Work that another task builds on is part of that task's work. */
  #listSides(built: ReadonlyMap<string, UsableWork>): JoinSide[] {
    const { plan, base } = this.#facts;
    const inherited = new Set(plan.tasks.flatMap(({ after }) => after));
    return plan.tasks.flatMap(({ id, brief }): JoinSide[] => {
      const commit = built.get(id)?.commit ?? base;
      return inherited.has(id) || commit === base ? [] : [{ name: id, brief, commit }];
    });
  }

  async #join(round: number, built: ReadonlyMap<string, UsableWork>): Promise<UsableWork> {
    const { run } = this.#facts;
    const sides = this.#listSides(built);
    const [only, ...others] = sides;
    const work = only && others.length === 0 ? built.get(only.name) : undefined;
    if (work !== undefined) return work;
    const child = await this.#child("join", childIds.join(run, round), { run, sides });
    return requireWork(await child.result());
  }

  async #review(
    round: number,
    { commit, tree }: UsableWork,
    earlier: readonly ReviewFinding[],
  ): Promise<{ readonly verdict: "approve" | "changes"; readonly findings: readonly ReviewFinding[] }> {
    const { run } = this.#facts;
    const input = { run, round, commit, tree, earlier };
    const child = await this.#child("review", childIds.review(run, round), asJson(input) as object);
    const { session } = requireWork(await child.result());
    const found = await this.#context.step(`verdict-${round}`, async () => {
      // The verdict that counts is the one in the log, for this tree.
      const verdict = (await this.#readLog()).findLast(
        ({ body }) => body.type === "verdict.given" && body.session === session && body.tree === tree,
      )?.body;
      return verdict?.type === "verdict.given"
        ? asJson({ verdict: verdict.verdict, findings: verdict.findings })
        : null;
    });
    if (found === null) throw new RunEnded("stalled", "The log has no verdict about the last tree.");
    return found as unknown as { verdict: "approve" | "changes"; findings: ReviewFinding[] };
  }

  /** Sends findings to the sessions whose files they are about, and joins the work again. */
  async #repair(
    round: number,
    joined: UsableWork,
    built: Map<string, UsableWork>,
    findings: readonly ReviewFinding[],
  ): Promise<UsableWork> {
    const { run } = this.#facts;
    const owners = await this.#context.step(
      `owners-${round}`,
      async () => await this.#findOwners(joined, built, findings),
    );
    const children: { readonly task: string; readonly child: ChildRun }[] = [];
    for (const { task, session, after, base, indexes } of owners) {
      const own = indexes.map((index) => findings[index]);
      const input = asJson({ run, task, session, after, base, round, findings: own });
      children.push({ task, child: await this.#child("repair", childIds.repair(run, round, task), input as object) });
    }
    const repaired = new Map<string, UsableWork>();
    for (const { task, child } of children) repaired.set(task, requireWork(await child.result()));
    const joinedAgain = repaired.get(joinedTask);
    if (joinedAgain !== undefined) return joinedAgain;
    for (const [task, work] of repaired) built.set(task, work);
    return await this.#join(round + 1, built);
  }

  async #findOwners(
    joined: UsableWork,
    built: ReadonlyMap<string, UsableWork>,
    findings: readonly ReviewFinding[],
  ): Promise<FindingOwner[]> {
    const { run, base } = this.#facts;
    const all = findings.map((_, index) => index);
    const sides = this.#listSides(built);
    const isMadeByTask = sides.some(({ commit }) => commit === joined.commit);
    if (joined.session !== null && !isMadeByTask)
      return [{ task: joinedTask, session: joined.session, after: joined.last, base: joined.commit, indexes: all }];
    const events = await this.#readLog();
    const repository = repositoryOf(this.#dependencies, run);
    const owners: FindingOwner[] = [];
    const assigned = new Set<number>();
    for (const { name: task, commit } of sides.toReversed()) {
      const { session = null, last = 0 } = built.get(task) ?? {};
      if (session === null) continue;
      const start = events.find(({ body }) => body.type === "task.started" && body.task === task)?.body;
      const paths = new Set(await repository.listChangedPaths(base, commit));
      const indexes = all.filter((index) => !assigned.has(index) && paths.has(findings[index]?.path ?? ""));
      for (const index of indexes) assigned.add(index);
      owners.push({ task, session, after: last, base: start?.type === "task.started" ? start.base : base, indexes });
    }
    // A finding about a file that no task changed goes to the last task of the plan.
    owners[0]?.indexes.push(...all.filter((index) => !assigned.has(index)));
    return owners.filter(({ indexes }) => indexes.length > 0);
  }

  async #assertTwoVendors(round: number): Promise<void> {
    const { fairlead } = this.#dependencies;
    const shared = await this.#context.step(`vendors-${round}`, async () => {
      const events = await this.#readLog();
      const sessionsOf = (types: readonly string[]): string[] =>
        events.flatMap(({ body }) => (types.includes(body.type) && "session" in body ? [body.session] : []));
      return await findSharedVendor(
        fairlead,
        sessionsOf(["task.started", "join.started"]),
        sessionsOf(["review.started"]),
      );
    });
    if (shared !== null)
      throw new RunEnded(
        "blocked",
        `The builder and the reviewer were both served by ${shared}, so the review does not count.`,
      );
  }

  async #child(workflow: string, id: string, input: object): Promise<ChildRun> {
    const child = await this.#context.child(workflow, id, asJson(input));
    this.#children.push(child);
    return child;
  }

  async #stopSessions(key: string, signal: AbortSignal): Promise<null> {
    const { fairlead } = this.#dependencies;
    const { agents, openShells } = listRunSessions(await this.#readLog());
    for (const session of [...agents, ...openShells])
      await fairlead.stop(session, { key: `${key}.${session}`, signal }).catch((error: unknown) => {
        // What cannot be stopped, because a person has removed it for example, must not keep the run from its end.
        if (!FairleadError.isInstance(error) || isTransientStepError(error)) throw error;
      });
    return null;
  }

  #readLog(): Promise<readonly RunEvent[]> {
    return this.#dependencies.log.read(this.#facts.run);
  }
}

/** Repeats a call that a cancellation ended. A run is canceled once, so that the second call is not ended by it. */
async function afterCancel<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof WorkflowCanceled)) throw error;
    return await call();
  }
}

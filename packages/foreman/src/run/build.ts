import type { WorkflowContext } from "../workflows/workflows.ts";
import { runAcceptance } from "./acceptance.ts";
import { type RunDependencies, type RunFacts, repositoryOf } from "./run-dependencies.ts";
import { RunEnded } from "./run-ended.ts";
import { describeFailedCommand } from "./texts.ts";
import { waitForTurn } from "./wait-for-turn.ts";
import type { Work } from "./work.ts";

export interface OpenTurn {
  readonly session: string;
  /** Null for the first turn of the session. */
  readonly turn: string | null;
  /** The last event before the turn. */
  readonly after: number;
}

export interface BuildOptions {
  /** The task; null for joined work. */
  readonly task: string | null;
  /** Begins the names of the steps. */
  readonly prefix: string;
  /** The parents of the commits. The first one is what the work is compared with. */
  readonly parents: readonly string[];
  readonly message: string;
}

/**
 * Waits for the end of a turn, stores the files of the clone, and runs the commands of the plan on them. What does not pass
 * is sent back to the session, as often as the plan says. What the agent says about its work is not read.
 */
export async function completeBuild(
  dependencies: RunDependencies,
  facts: RunFacts,
  context: WorkflowContext,
  { session, turn, after }: OpenTurn,
  { task, prefix, parents, message }: BuildOptions,
): Promise<Work> {
  const { fairlead, log } = dependencies;
  const { run, plan } = facts;
  let open = { turn, after };
  for (let round = 0; ; round += 1) {
    const name = `${prefix}.${round}`;
    const end = await context.step(`${name}.turn`, ({ signal }) => waitForTurn(fairlead, session, { ...open, signal }));
    if (end.state === "limited") throw new RunEnded("blocked", end.reason);
    if (end.state !== "completed") throw new RunEnded("failed", end.reason);
    const { tree, commit } = await context.step(`${name}.snapshot`, async ({ key }) => {
      const repository = repositoryOf(dependencies, run);
      const snapshot = await repository.snapshot(session, parents, message);
      const changes = await repository.compare(parents[0] ?? facts.base, snapshot.commit);
      const body = { type: "snapshot.made", task, session, ...snapshot, changes } as const;
      const { body: stored } = await log.append(run, key, body);
      // After a crash, the snapshot that is in the log counts, even if the clone has changed since.
      return stored.type === "snapshot.made" ? { tree: stored.tree, commit: stored.commit } : { ...snapshot };
    });
    const baseTree = await context.step(`${name}.base`, () =>
      repositoryOf(dependencies, run).readTree(parents[0] ?? facts.base),
    );
    if (task !== null && tree === baseTree)
      return {
        outcome: "no-op",
        reason: "Nothing was changed.",
        commit: parents[0] ?? commit,
        tree,
        session,
        last: end.last,
      };
    const { passed, commands } = await runAcceptance(dependencies, facts, context, {
      prefix: name,
      task,
      commit,
      tree,
    });
    if (passed) return { outcome: "done", reason: "", commit, tree, session, last: end.last };
    const failed = commands.at(-1);
    if (failed === undefined || round >= plan.rounds)
      throw new RunEnded("exhausted", `\`${failed?.command ?? ""}\` does not pass: ${failed?.problem ?? ""}`);
    open = await returnWork(dependencies, facts, context, {
      name: `${name}.return`,
      task,
      session,
      reason: "acceptance",
      round: round + 1,
      text: describeFailedCommand(failed),
      after: end.last,
    });
  }
}

export interface ReturnedWork {
  readonly name: string;
  readonly task: string | null;
  readonly session: string;
  readonly reason: "acceptance" | "findings";
  readonly round: number;
  readonly text: string;
  readonly after: number;
}

/** Sends work back to the session that made it. */
export async function returnWork(
  { fairlead, log }: RunDependencies,
  { run }: RunFacts,
  context: WorkflowContext,
  { name, task, session, reason, round, text, after }: ReturnedWork,
): Promise<{ turn: string; after: number }> {
  return await context.step(name, async ({ key, signal }) => {
    const { turn } = await fairlead.send(session, text, { key, signal });
    await log.append(run, key, { type: "work.returned", task, session, reason, round });
    return { turn, after };
  });
}

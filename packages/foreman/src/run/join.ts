import type { WorkflowContext } from "../workflows/workflows.ts";
import { runAcceptance } from "./acceptance.ts";
import { completeBuild } from "./build.ts";
import { builderOf, repositoryOf, type RunDependencies, type RunFacts } from "./run-dependencies.ts";
import { RunEnded } from "./run-ended.ts";
import { chooseSessionLimits, startRunAgent } from "./start-run-agent.ts";
import { describeConflict, describeFailedCommand } from "./texts.ts";

/** Characters of each side's patch that the agent which resolves a conflict gets with its brief. */
const patchLimit = 60_000;

/** The work of one task, for the agent that resolves a conflict. */
export type JoinSide = { readonly name: string; readonly brief: string; readonly commit: string };

export type JoinedWork = {
  readonly commit: string;
  readonly tree: string;
  /** The session that resolved the last conflict; null if there was none. */
  readonly session: string | null;
  readonly last: number;
};

/**
 * Merges the work of tasks in their order. A conflict goes to a session of its own, with both briefs and both patches, and
 * never to one of the authors: an author tends to keep its own side.
 */
export async function joinCommits(
  dependencies: RunDependencies,
  facts: RunFacts,
  context: WorkflowContext,
  { prefix, sides }: { readonly prefix: string; readonly sides: readonly JoinSide[] },
): Promise<JoinedWork> {
  const { run, base } = facts;
  const [first, ...others] = sides;
  const start = first?.commit ?? base;
  const startTree = await context.step(`${prefix}.tree`, () => repositoryOf(dependencies, run).readTree(start));
  let joined: JoinedWork = { commit: start, tree: startTree, session: null, last: 0 };
  let joinedSide: JoinSide = first ?? { name: "", brief: "", commit: base };
  for (const [index, side] of others.entries()) {
    const name = `${prefix}.${index + 1}`;
    const ours = joined.commit;
    const merge = await context.step(`${name}.merge`, async ({ key }) => {
      const repository = repositoryOf(dependencies, run);
      const { conflicts, ...merged } = await repository.merge(ours, side.commit, `Join ${side.name}\n`);
      const changes = await repository.compare(base, merged.commit);
      if (conflicts.length > 0) return { ...merged, conflicts };
      const { body } = await dependencies.log.append(run, key, { type: "work.joined", ...merged, conflicts, changes });
      // After a crash, the merge that is in the log counts.
      return body.type === "work.joined"
        ? { tree: body.tree, commit: body.commit, conflicts }
        : { ...merged, conflicts };
    });
    // The clone of a session that resolved an earlier conflict does not have this work.
    joined = { commit: merge.commit, tree: merge.tree, session: null, last: 0 };
    if (merge.conflicts.length > 0)
      joined = await resolveConflict(dependencies, facts, context, {
        name,
        from: merge.commit,
        parents: [ours, side.commit],
        conflicts: merge.conflicts,
        sides: [{ ...joinedSide, commit: ours }, side],
        failure: null,
      });
    joinedSide = {
      name: `${joinedSide.name} and ${side.name}`,
      brief: `${joinedSide.brief}\n\n${side.brief}`,
      commit: joined.commit,
    };
  }
  return joined;
}

/** Runs the commands of the plan on merged work. What does not pass goes to a session of its own, like a conflict. */
export async function acceptJoined(
  dependencies: RunDependencies,
  facts: RunFacts,
  context: WorkflowContext,
  joined: JoinedWork,
  sides: readonly JoinSide[],
): Promise<JoinedWork> {
  // A session that resolved the last conflict has ended with a state that passed.
  if (sides.length < 2 || joined.session !== null) return joined;
  const { commit, tree } = joined;
  const { passed, commands } = await runAcceptance(dependencies, facts, context, {
    prefix: "joined",
    task: null,
    commit,
    tree,
  });
  if (passed) return joined;
  const failed = commands.at(-1);
  return await resolveConflict(dependencies, facts, context, {
    name: "joined",
    from: commit,
    parents: [commit],
    conflicts: [],
    sides,
    failure: failed === undefined ? "A command does not pass." : describeFailedCommand(failed),
  });
}

interface Conflict {
  readonly name: string;
  /** The commit that the clone of the session starts from. */
  readonly from: string;
  readonly parents: readonly string[];
  readonly conflicts: readonly string[];
  readonly sides: readonly JoinSide[];
  readonly failure: string | null;
}

async function resolveConflict(
  dependencies: RunDependencies,
  facts: RunFacts,
  context: WorkflowContext,
  { name, from, parents, conflicts, sides, failure }: Conflict,
): Promise<JoinedWork> {
  const { run, plan, base } = facts;
  const reason = failure === null ? `Git could not merge ${conflicts.join(", ")}.` : "The merged work does not pass.";
  const limits = await chooseSessionLimits(dependencies, facts, context, { name: `${name}.limits`, sessions: 1 });
  const started = await context.step(`${name}.start`, async (step) => {
    const repository = repositoryOf(dependencies, run);
    const texts: { name: string; brief: string; patch: string }[] = [];
    for (const { commit, ...side } of sides)
      texts.push({ ...side, patch: await repository.readPatch(base, commit, patchLimit) });
    const brief = describeConflict(plan, { conflicts, sides: texts, failure });
    const role = plan.builder ?? builderOf(plan, plan.tasks[0]?.id ?? "");
    const label = `join.${context.run.slice(run.length + 1)}.${name}`;
    const agent = await startRunAgent(dependencies, facts, { role, name: label, base: from, brief, limits }, step);
    await dependencies.log.append(run, step.key, {
      type: "join.started",
      ...agent,
      conflicts: [...conflicts],
      reason,
    });
    return agent;
  });
  const turn = { session: started.session, turn: null, after: 0 };
  const options = { task: null, prefix: `${name}.resolve`, parents, message: `Join the work: ${reason}\n` };
  const { commit, tree, session, last } = await completeBuild(dependencies, facts, context, turn, options);
  if (commit === null || tree === null) throw new RunEnded("failed", "The conflict was not resolved.");
  const left = await context.step(`${name}.markers`, () =>
    repositoryOf(dependencies, run).listConflicted(commit, conflicts),
  );
  if (left.length > 0) throw new RunEnded("stalled", `The conflict in ${left.join(", ")} was not resolved.`);
  await context.step(`${name}.joined`, async ({ key }) => {
    const changes = await repositoryOf(dependencies, run).compare(base, commit);
    await dependencies.log.append(run, key, { type: "work.joined", tree, commit, conflicts: [...conflicts], changes });
    return null;
  });
  return { commit, tree, session, last };
}

import type { ReviewFinding, RunEvent } from "@fairlead/api";
import { openForge } from "../forge/open-forge.ts";
import { findRemote, pushCommit } from "../forge/push-commit.ts";
import type { WorkflowContext } from "../workflows/workflows.ts";
import { repositoryOf, type RunDependencies, type RunFacts } from "./run-dependencies.ts";
import { RunEnded } from "./run-ended.ts";
import { formatFinding } from "./texts.ts";

/** Characters of a request's text. Services limit it. */
const maxBody = 60_000;

/**
 * Pushes the reviewed tree from the run's own repository, with the person's credentials, and makes the request. Throws if
 * the log does not have an approving verdict and a person's approval for exactly this tree.
 */
export async function makeRequest(
  dependencies: RunDependencies,
  { run, plan }: RunFacts,
  context: WorkflowContext,
  { commit, tree }: { readonly commit: string; readonly tree: string },
): Promise<string> {
  const { log, environment } = dependencies;
  const branch = `fairlead/${run}`;
  const problem = await context.step("check-tree", async () => {
    const committed = await repositoryOf(dependencies, run).readTree(commit);
    return committed === tree ? findObjection(await log.read(run), tree) : "The commit has another tree.";
  });
  if (problem !== null) throw new RunEnded("blocked", problem);
  await context.step("push", async ({ key, signal }) => {
    const repository = repositoryOf(dependencies, run);
    const remote = await findRemote(repository.readOrigin().top, plan.forge.remote, environment);
    await repository.withCleanRepository(commit, (folder) =>
      pushCommit({ folder, commit, branch }, remote, { environment, signal }),
    );
    await log.append(run, key, { type: "branch.pushed", branch, commit, tree, remote: plan.forge.remote });
    return null;
  });
  return await context.step("request", async ({ key }) => {
    const origin = repositoryOf(dependencies, run).readOrigin();
    const remote = await findRemote(origin.top, plan.forge.remote, environment);
    const forge = await openForge(plan.forge, remote, origin.branch, environment);
    const title = plan.goal.split("\n", 1)[0]?.slice(0, 120) ?? run;
    const body = describeRequest(run, plan.goal, await log.read(run), tree);
    const address = await forge.request({ branch, commit, title, body });
    await log.append(run, key, { type: "request.made", branch, address });
    return address;
  });
}

/** A finding is the text of an agent. On one line, as code, it cannot pass for a line of Fairlead's. */
function quoteFinding(finding: ReviewFinding): string {
  return `- \`${formatFinding(finding)
    .slice(2)
    .replaceAll(/[\s`]+/g, " ")
    .slice(0, 1000)}\``;
}

function findObjection(events: readonly RunEvent[], tree: string): string | null {
  const verdict = events.findLast(({ body }) => body.type === "verdict.given")?.body;
  if (verdict?.type !== "verdict.given" || verdict.verdict !== "approve" || verdict.tree !== tree)
    return "The last verdict does not approve this tree.";
  const asked = events.findLast(({ body }) => body.type === "decision.requested")?.body;
  if (asked?.type !== "decision.requested" || asked.tree !== tree) return "The person was asked about another tree.";
  const resolved = events.find(({ body }) => body.type === "decision.resolved")?.body;
  return resolved?.type === "decision.resolved" && resolved.outcome === "allowed"
    ? null
    : "No person approved this tree.";
}

function describeRequest(run: string, goal: string, events: readonly RunEvent[], tree: string): string {
  const verdict = events.findLast(({ body }) => body.type === "verdict.given")?.body;
  const decided = events.find(({ body }) => body.type === "decision.resolved")?.body;
  const builders = new Set(
    events.flatMap(({ body }) => (body.type === "task.started" ? [`${body.agent} (${body.vendor})`] : [])),
  );
  const accepted = events.findLast(({ body }) => body.type === "acceptance.ended" && body.tree === tree)?.body;
  const commands = accepted?.type === "acceptance.ended" ? accepted.commands : [];
  const text = [
    goal,
    "",
    `Built by ${[...builders].join(", ")}.`,
    ...(verdict?.type === "verdict.given"
      ? [`Reviewed by ${verdict.agent} (${verdict.vendor}).`, ...verdict.findings.map(quoteFinding)]
      : []),
    ...(decided?.type === "decision.resolved" && decided.by !== null ? [`Approved by ${decided.by}.`] : []),
    ...commands.map(({ command }) => `Passed: \`${command}\``),
    "",
    `Fairlead ${run}, tree ${tree}.`,
  ].join("\n");
  return text.length <= maxBody ? text : `${text.slice(0, maxBody)}\n[The rest is left out.]`;
}

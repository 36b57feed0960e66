import type { CommandResult } from "@fairlead/api";
import type { WorkflowContext } from "../workflows/workflows.ts";
import { type RunDependencies, type RunFacts, repositoryOf } from "./run-dependencies.ts";
import { runPlanCommand, type CommandPlace } from "./run-plan-command.ts";
import { asJson } from "./work.ts";

export interface Acceptance {
  readonly passed: boolean;
  readonly commands: readonly CommandResult[];
}

/**
 * Runs the commands of the plan on a new checkout of a commit: first `setup`, then `acceptance`. It ends with the first one
 * that does not pass. The plan counts as it was when the run started, not a file in the tree.
 */
export async function runAcceptance(
  dependencies: RunDependencies,
  facts: RunFacts,
  context: WorkflowContext,
  { prefix, task, commit, tree }: { prefix: string; task: string | null; commit: string; tree: string },
): Promise<Acceptance> {
  const { run, plan } = facts;
  const planned = [
    ...plan.setup.map((command) => ({ command, network: plan.setupNetwork })),
    ...plan.acceptance.map((command) => ({ command, network: "none" as const })),
  ];
  const commands: CommandResult[] = [];
  let place: CommandPlace = { commit };
  for (const [index, { command, network }] of planned.entries()) {
    const { result, folder } = await context
      .step(`${prefix}.command-${index + 1}`, async (step) =>
        asJson(await runPlanCommand(dependencies, facts, command, { place, network }, step)),
      )
      .then((value) => value as unknown as Awaited<ReturnType<typeof runPlanCommand>>);
    commands.push(result);
    place = { folder };
    if (!result.passed) break;
  }
  const passed = commands.every((one) => one.passed);
  await context.step(`${prefix}.accepted`, async ({ key }) => {
    await dependencies.log.append(run, key, { type: "acceptance.ended", task, tree, passed, commands });
    const [first] = commands;
    if (first !== undefined) await repositoryOf(dependencies, run).discard(first.session);
    return null;
  });
  return { passed, commands };
}

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
 * Runs the commands of the plan. Each command of `acceptance` has a new checkout of the commit, after the commands of `setup`:
 * what a command writes cannot let another one pass. It ends with the first one that does not pass. The plan counts as it was
 * when the run started, not a file in the tree.
 */
export async function runAcceptance(
  dependencies: RunDependencies,
  facts: RunFacts,
  context: WorkflowContext,
  { prefix, task, commit, tree }: { prefix: string; task: string | null; commit: string; tree: string },
): Promise<Acceptance> {
  const { run, plan } = facts;
  const setup = plan.setup.map((command) => ({ command, network: plan.setupNetwork }));
  const checkouts = plan.acceptance.map((command) => [...setup, { command, network: "none" as const }]);
  const commands: CommandResult[] = [];
  for (const [index, planned] of (checkouts.length === 0 ? [setup] : checkouts).entries()) {
    let place: CommandPlace = { commit };
    const before = commands.length;
    for (const [position, { command, network }] of planned.entries()) {
      const name = `${prefix}.command-${index + 1}-${position + 1}`;
      const ran = await context.step(name, async (step) =>
        asJson(await runPlanCommand(dependencies, facts, command, { place, network }, step)),
      );
      const { result, folder } = ran as unknown as Awaited<ReturnType<typeof runPlanCommand>>;
      commands.push(result);
      place = { folder };
      if (!result.passed) break;
    }
    const first = commands[before];
    if (first !== undefined)
      await context.step(`${prefix}.discard-${index + 1}`, async () => {
        await repositoryOf(dependencies, run).discard(first.session);
        return null;
      });
    if (commands.at(-1)?.passed === false) break;
  }
  const passed = commands.every((one) => one.passed);
  await context.step(`${prefix}.accepted`, async ({ key }) => {
    await dependencies.log.append(run, key, { type: "acceptance.ended", task, tree, passed, commands });
    return null;
  });
  return { passed, commands };
}

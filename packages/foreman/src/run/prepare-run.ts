import { rm } from "node:fs/promises";
import type { RunRequest } from "@fairlead/api";
import { findSandboxProblem, type Home, RunRepository } from "@fairlead/runtime";
import { FairleadError } from "@fairlead/contract";
import { openForge } from "../forge/open-forge.ts";
import { findRemote, type PersonEnvironment } from "../forge/push-commit.ts";

/**
 * Creates the repository of a run. Throws what would otherwise end the run after agents have worked for it: there is no
 * sandbox for the reviewer and the commands, no remote, or no token for the forge.
 */
export async function prepareRun(
  { home, environment }: { readonly home: Home; readonly environment: PersonEnvironment },
  run: string,
  { plan, workspace }: RunRequest,
): Promise<{ readonly base: string }> {
  const problem = await findSandboxProblem();
  if (problem !== null) throw new FairleadError("not-supported", describeSandboxProblem(problem));
  const repository = new RunRepository(home, run);
  try {
    const { base, top, branch } = await repository.create(workspace);
    await openForge(plan.forge, await findRemote(top, plan.forge.remote, environment), branch, environment);
    return { base };
  } catch (error) {
    // No event names the run, so that nothing else would remove it.
    await rm(repository.folder, { recursive: true, force: true });
    throw error;
  }
}

/** Says that runs are not possible without a sandbox. */
export function describeSandboxProblem(problem: string): string {
  return `The reviewer and the commands of a plan need the sandbox. ${problem}`;
}

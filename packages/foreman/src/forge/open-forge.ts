import type { PlanForge } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import type { Forge } from "./forge.ts";
import { createGitForge } from "./git-forge.ts";
import type { PersonEnvironment } from "./push-commit.ts";

/** Opens the forge of a plan. `address` is that of its remote, and `branch` is the branch that the run started from. */
export async function openForge(
  plan: PlanForge,
  address: string,
  branch: string | null,
  environment: PersonEnvironment,
): Promise<Forge> {
  if (plan.kind === "git") return createGitForge(address);
  // Loaded when needed: it brings a library.
  const { createGithubForge, parseRepositoryName } = await import("./github-forge.ts");
  const repository = plan.repository ?? parseRepositoryName(address);
  const base = plan.base ?? branch;
  const token = environment["GITHUB_TOKEN"];
  if (repository === null)
    throw new FairleadError(
      "invalid-request",
      `${address} does not name a repository. Set forge.repository to OWNER/NAME.`,
    );
  if (base === null) throw new FairleadError("invalid-request", "The run did not start on a branch. Set forge.base.");
  if (token === undefined)
    throw new FairleadError(
      "invalid-request",
      "GITHUB_TOKEN is not set in the environment of the daemon. Set it, then run: fairlead down",
    );
  return createGithubForge({ repository, base, token, ...(plan.api !== undefined && { api: plan.api }) });
}

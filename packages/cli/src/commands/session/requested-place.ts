import type { StartRequest } from "@fairlead/api";
import { RepositorySource } from "@fairlead/contract";
import type { CliContext } from "../../cli-context.ts";
import { UsageError } from "../../usage-error.ts";
import { resolveWorkspace } from "./resolve-workspace.ts";

export interface PlaceArguments {
  readonly workspace?: string;
  readonly repository?: string;
  readonly ref?: string;
  readonly isolated?: boolean;
}

/** Returns the folder or the repository that a command line names for a new session. Default: the current folder. */
export function requestedPlace(
  context: CliContext,
  { workspace, repository, ref, isolated }: PlaceArguments,
): Pick<StartRequest, "workspace" | "repository"> {
  if (repository === undefined) {
    if (ref !== undefined) throw new UsageError("--ref names a branch of a repository: add --repository with its URL.");
    return { workspace: resolveWorkspace(context, workspace) };
  }
  if (workspace !== undefined || isolated === true) {
    const option = isolated === true ? "--isolated" : "--workspace";
    throw new UsageError(
      `A session works in a clone of --repository, so ${option} has no place. Leave one of them out.`,
    );
  }
  const { data, error } = RepositorySource.safeParse({ url: repository, ref: ref ?? "HEAD" });
  if (data === undefined) throw new UsageError(error?.issues[0]?.message ?? "The repository is not valid.");
  return { repository: data };
}

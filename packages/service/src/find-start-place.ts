import type { StartRequest } from "@fairlead/api";
import { FairleadError, type RepositorySource } from "@fairlead/contract";

/** Returns the folder or the repository of a start. Throws `invalid-request` unless the request has one of them. */
export function findStartPlace({ workspace, repository, isolated }: StartRequest): string | RepositorySource {
  const refuse = (message: string): FairleadError => new FairleadError("invalid-request", message);
  if (repository === undefined) {
    if (workspace === undefined) throw refuse("A start takes a workspace or a repository, and this one has neither.");
    return workspace;
  }
  if (workspace !== undefined)
    throw refuse("A start takes a workspace or a repository, not both: the host chooses the folder.");
  if (isolated !== undefined && isolated !== false)
    throw refuse("A session with a repository works in a clone of its own. Start without isolated.");
  return repository;
}

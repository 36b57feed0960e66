import { FairleadError, type RepositorySource } from "@fairlead/contract";
import { assertTransported, runTransport, type TransportOptions } from "./transport-git.ts";

/** A branch, tag or commit of a repository. */
export interface RemoteReference {
  /** In full, or the id of a commit. */
  readonly ref: string;
  readonly commit: string;
}

const commitId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The reference of a repository that has the snapshots of a session. */
export const snapshotReference = (session: string): string => `refs/fairlead/${session}`;

/** Finds what a name means in a repository. Throws `invalid-request` if it means nothing. */
export async function resolveReference(
  { url, ref }: RepositorySource,
  options: Omit<TransportOptions, "url">,
): Promise<RemoteReference> {
  if (commitId.test(ref)) return { ref, commit: ref };
  const candidates = ref === "HEAD" || ref.startsWith("refs/") ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
  const { objects, head } = await readReferences(candidates, { ...options, url });
  for (const name of candidates) {
    // An annotated tag leads to a tag object, and with this suffix to its commit.
    const commit = objects.get(`${name}^{}`) ?? objects.get(name);
    if (commit !== undefined) return { ref: name === "HEAD" ? (head ?? commit) : name, commit };
  }
  throw new FairleadError("invalid-request", `The repository ${url} has no branch or tag ${ref}.`);
}

/** Reads the first of the references that exists. Returns undefined if none does. */
export async function findReference(names: readonly string[], options: TransportOptions): Promise<string | undefined> {
  const { objects } = await readReferences(names, options);
  return names.map((name) => objects.get(name)).find((object) => object !== undefined);
}

async function readReferences(
  names: readonly string[],
  options: TransportOptions,
): Promise<{ readonly objects: ReadonlyMap<string, string>; readonly head: string | undefined }> {
  const { url } = options;
  const patterns = names.flatMap((name) => [name, `${name}^{}`]);
  const result = await runTransport(["ls-remote", "--symref", "--", url, ...patterns], options);
  const lines = assertTransported(result, `The repository ${url} cannot be read`).output.toString().split("\n");
  const pairs = lines.map((line) => line.split("\t") as [value: string, name?: string]);
  return {
    objects: new Map(
      pairs.flatMap(([value, name]) => (name !== undefined && commitId.test(value) ? [[name, value]] : [])),
    ),
    head: pairs.find(([value, name]) => name === "HEAD" && value.startsWith("ref: "))?.[0].slice("ref: ".length),
  };
}

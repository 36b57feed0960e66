import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FairleadError, type SessionRepository } from "@fairlead/contract";
import { CopyGit } from "../copies/copy-git.ts";
import { createBareRepository } from "../files/bare-repository.ts";
import type { Environment } from "../host/child-environment.ts";
import { runBounded } from "../review/run-bounded.ts";
import { rawAttributesFile, writeRawAttributes } from "./raw-attributes.ts";
import { assertTransported, runTransport } from "./transport-git.ts";

export interface CloneOptions {
  readonly repository: SessionRepository;
  /** Where the clone is made. It must not exist, and no agent can write to it. */
  readonly folder: string;
  /** The commit whose files the clone gets, and the reference that leads to it. Default: the repository's commit. */
  readonly snapshot?: { readonly commit: string; readonly reference: string };
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

/** A reference of the clone that exists only while the clone is made. */
const snapshotTip = "refs/fairlead-snapshot";
const fetchFlags = ["--quiet", "--no-recurse-submodules", "--no-auto-maintenance", "--no-write-fetch-head"];

/**
 * Clones a repository and checks out a commit, or the files of a snapshot as uncommitted changes. Git runs no filter and no
 * hook, fills no submodule, and reads no configuration of the repository.
 */
export async function cloneRepository(options: CloneOptions): Promise<void> {
  const { folder, repository, environment, signal } = options;
  const { commit, url, ref } = repository;
  const gitFolder = join(folder, ".git");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await createBareRepository(gitFolder, commit.length === 64 ? "sha256" : "sha1");
  // A sandbox protects them only if they exist.
  for (const name of ["hooks", "info", "objects/info"]) await mkdir(join(gitFolder, name), { recursive: true });
  const branch = ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : null;
  await writeFile(join(gitFolder, "config"), await formatConfig(repository, branch, environment));
  await fetchObjects(options, gitFolder);
  const git = await CopyGit.open({ top: folder, writable: folder, signal });
  const env = { GIT_DIR: gitFolder, GIT_WORK_TREE: folder };
  const run = async (args: readonly string[], input = ""): Promise<string> =>
    await git.read(args, env, `The clone of ${url} is incomplete`, { input: Buffer.from(input) });
  // In one process: each has a sandbox, whose start takes longer than its work.
  const updateReferences = async (updates: readonly string[]): Promise<void> => {
    if (updates.length > 0) await run(["update-ref", "--stdin"], updates.map((line) => `${line}\n`).join(""));
  };
  const branchUpdate = branch === null ? [] : [`update ${ref} ${commit}`];
  await writeFile(join(gitFolder, "HEAD"), branch === null ? `${commit}\n` : `ref: ${ref}\n`);
  if (options.snapshot === undefined) {
    await updateReferences(branchUpdate);
    return void (await run(["reset", "--hard", "--quiet"]));
  }
  await writeRawAttributes(gitFolder);
  await run(["read-tree", "--reset", "-u", options.snapshot.commit]);
  await rm(rawAttributesFile(gitFolder));
  await updateReferences([...branchUpdate, `delete ${snapshotTip}`]);
}

/**
 * Makes the index of a clone with the files of a snapshot that of its commit, so that the snapshot's changes are uncommitted.
 * Keeps the stat data of files that did not change.
 */
export async function unstageSnapshot(folder: string, commit: string, signal: AbortSignal): Promise<void> {
  const git = await CopyGit.open({ top: folder, writable: folder, signal });
  const env = { GIT_DIR: join(folder, ".git"), GIT_WORK_TREE: folder };
  await git.read(["read-tree", "-m", "-i", commit], env, "The restored workspace is incomplete");
}

async function fetchObjects(options: CloneOptions, gitFolder: string): Promise<void> {
  const { folder, repository, snapshot, environment, signal } = options;
  const { url, ref, commit } = repository;
  const transport = { url, gitFolder, workspace: folder, environment, signal };
  const problem = `The repository ${url} cannot be cloned`;
  const fetch = async (...refspecs: string[]): Promise<void> => {
    const result = await runTransport(["fetch", ...fetchFlags, "--", url, ...refspecs], transport);
    assertTransported(result, problem);
  };
  const branches = "+refs/heads/*:refs/remotes/origin/*";
  const tags = ref.startsWith("refs/tags/") ? [`+${ref}:${ref}`] : [];
  await fetch(branches, ...tags, ...(snapshot === undefined ? [] : [`+${snapshot.reference}:${snapshotTip}`]));
  const git = await CopyGit.open({ top: folder, writable: folder, signal });
  const findMissing = async (ids: readonly string[]): Promise<readonly string[]> => {
    const input = Buffer.from(ids.map((id) => `${id}^{commit}\n`).join(""));
    const found = await git.read(["cat-file", "--batch-check"], { GIT_DIR: gitFolder }, problem, { input });
    const lines = found.split("\n");
    return ids.filter((_, index) => lines[index]?.endsWith(" missing") !== false);
  };
  // The branch may have been rewritten or deleted, or a newer snapshot has replaced the one that was found.
  const missing = await findMissing([commit, ...(snapshot === undefined ? [] : [snapshot.commit])]);
  for (const id of missing) await fetch(id);
  if (missing.includes(commit) && (await findMissing([commit])).length > 0)
    throw new FairleadError("invalid-request", `The repository ${url} has no commit ${commit}.`);
}

async function formatConfig(
  { url, commit }: SessionRepository,
  branch: string | null,
  environment: Environment,
): Promise<string> {
  const hasNewHashes = commit.length === 64;
  const person = await readHostPerson(environment);
  return [
    "[core]",
    `\trepositoryFormatVersion = ${hasNewHashes ? 1 : 0}`,
    "\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true",
    ...(hasNewHashes ? ["[extensions]\n\tobjectFormat = sha256"] : []),
    `[remote "origin"]\n\turl = ${quote(url)}\n\tfetch = +refs/heads/*:refs/remotes/origin/*`,
    ...(branch === null
      ? []
      : [`[branch ${quote(branch)}]\n\tremote = origin\n\tmerge = ${quote(`refs/heads/${branch}`)}`]),
    "[user]",
    // Without them, the agent could not commit: it does not see the configuration of the host's user.
    `\tname = ${quote(person.get("user.name") ?? "Fairlead")}`,
    `\temail = ${quote(person.get("user.email") ?? "fairlead@localhost")}`,
    "",
  ].join("\n");
}

const quote = (value: string): string => `"${value.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`;

/** Reads the name and the email address with which the user of this process commits. */
async function readHostPerson({ HOME, PATH, XDG_CONFIG_HOME }: Environment): Promise<ReadonlyMap<string, string>> {
  const env = { HOME: HOME ?? "/", PATH: PATH ?? "", ...(XDG_CONFIG_HOME !== undefined && { XDG_CONFIG_HOME }) };
  const limits = { cwd: "/", env, limit: 1000, signal: AbortSignal.timeout(5000) };
  const command = ["git", "config", "--global", "-z", "--get-regexp", "^user\\.(name|email)$"] as const;
  const result = await runBounded(command, limits).catch(() => null);
  if (result?.code !== 0) return new Map();
  // The last one of a name counts, as for git.
  const settings = result.output
    .toString()
    .split("\0")
    .map((one) => one.split("\n"));
  return new Map(settings.map(([name = "", value = ""]) => [name, value.trim()]));
}

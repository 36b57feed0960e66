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
  const run = async (...args: string[]): Promise<string> =>
    await git.read(args, env, `The clone of ${url} is incomplete`);
  if (branch !== null) await run("update-ref", ref, commit);
  await writeFile(join(gitFolder, "HEAD"), branch === null ? `${commit}\n` : `ref: ${ref}\n`);
  if (options.snapshot === undefined) return void (await run("reset", "--hard", "--quiet"));
  await writeRawAttributes(gitFolder);
  await run("read-tree", "--reset", "-u", options.snapshot.commit);
  await rm(rawAttributesFile(gitFolder));
  await run("update-ref", "-d", snapshotTip);
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
  const fetch = async (...refspecs: string[]): Promise<void> => {
    const result = await runTransport(["fetch", ...fetchFlags, "--", url, ...refspecs], transport);
    assertTransported(result, `The repository ${url} cannot be cloned`);
  };
  const branches = "+refs/heads/*:refs/remotes/origin/*";
  const tags = ref.startsWith("refs/tags/") ? [`+${ref}:${ref}`] : [];
  await fetch(branches, ...tags, ...(snapshot === undefined ? [] : [`+${snapshot.reference}:${snapshotTip}`]));
  const git = await CopyGit.open({ top: folder, writable: folder, signal });
  const hasObject = async (id: string): Promise<boolean> =>
    (await git.run(["cat-file", "-e", `${id}^{commit}`], { GIT_DIR: gitFolder })).code === 0;
  // The branch may have been rewritten or deleted, or a newer snapshot has replaced the one that was found.
  for (const id of [commit, ...(snapshot === undefined ? [] : [snapshot.commit])])
    if (!(await hasObject(id))) await fetch(id);
  if (!(await hasObject(commit)))
    throw new FairleadError("invalid-request", `The repository ${url} has no commit ${commit}.`);
}

async function formatConfig(
  { url, commit }: SessionRepository,
  branch: string | null,
  environment: Environment,
): Promise<string> {
  const hasNewHashes = commit.length === 64;
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
    `\tname = ${quote((await readHostSetting("user.name", environment)) ?? "Fairlead")}`,
    `\temail = ${quote((await readHostSetting("user.email", environment)) ?? "fairlead@localhost")}`,
    "",
  ].join("\n");
}

const quote = (value: string): string => `"${value.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`;

/** Reads a setting of the user of this process. */
async function readHostSetting(
  name: string,
  { HOME, PATH, XDG_CONFIG_HOME }: Environment,
): Promise<string | undefined> {
  const env = { HOME: HOME ?? "/", PATH: PATH ?? "", ...(XDG_CONFIG_HOME !== undefined && { XDG_CONFIG_HOME }) };
  const limits = { cwd: "/", env, limit: 1000, signal: AbortSignal.timeout(5000) };
  const result = await runBounded(["git", "config", "--global", "--get", name], limits).catch(() => null);
  return result?.code === 0 ? result.output.toString().trim() : undefined;
}

import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { FairleadError, type CopyOrigin } from "@fairlead/contract";
import type { Home } from "../home.ts";
import { readPlainFile } from "../host/read-plain-file.ts";
import { maxShallowBytes } from "../review/repository-inspector.ts";
import { findGitRepository, type GitRepository } from "../review/find-git-repository.ts";
import { alternatesFile, findRunObjects, formatAlternates } from "./alternates.ts";
import { findCopy, readCopyFacts, writeCopyFacts, baseReference, placeInCopy, type CopyFacts } from "./copy-facts.ts";
import { CopyGit } from "./copy-git.ts";
import { countUncommitted } from "./read-copy-work.ts";

export interface CreateCopyOptions {
  readonly home: Home;
  readonly session: string;
  /** The person's folder. */
  readonly workspace: string;
  readonly signal: AbortSignal;
  /** What it starts from. Default: the last commit of the person's repository. */
  readonly origin?: CopyOrigin;
  /** Runs in the clone before the copy counts as complete. Returns what a person should know. */
  readonly setUp: (folder: string) => Promise<readonly string[]>;
}

export interface CreatedCopy {
  readonly facts: CopyFacts;
  /** The session's workspace: the folder of the clone that the person's folder corresponds to. */
  readonly workspace: string;
  readonly notices: readonly string[];
}

/** Milliseconds that git may take for a step. A checkout of a large repository takes minutes on a slow disk. */
const gitTimeout = 600_000;

/** Throws `not-supported` if there can be no isolated copy of a folder. Changes nothing. */
export async function findCopySource(home: Home, workspace: string): Promise<GitRepository> {
  const source = await inspectCopySource(home, workspace);
  if (typeof source === "string") throw noCopy(workspace, source);
  return source;
}

/** Finds the repository of a folder. Returns the reason if there can be no isolated copy of it: "is …". Changes nothing. */
export async function inspectCopySource(home: Home, workspace: string): Promise<GitRepository | string> {
  if (findCopy(home, workspace) !== null) return "is an isolated copy itself";
  const repository = await findGitRepository(realpathSync(workspace));
  if (repository === null) return "is not in a working tree of git";
  // A sandbox would have to show those objects too, and an agent that can commit can name any folder in this file.
  if (existsSync(alternatesFile(repository.commonFolder)))
    return "is in a repository that borrows objects from another one. Copy them: git repack -ad";
  return repository;
}

/**
 * Creates a clone that borrows the objects of the person's repository, as `git clone --shared` does, on a branch of its own.
 * Git reads neither the configuration of the person's repository nor its hooks. A copy of an earlier attempt is used if it
 * is complete: an agent may work in it.
 */
export async function createCopy(options: CreateCopyOptions): Promise<CreatedCopy> {
  const { home, session, workspace } = options;
  const earlier = readCopyFacts(home, session);
  if (earlier?.isReady === true) return { facts: earlier, workspace: placeInCopy(earlier, workspace), notices: [] };
  const repository = await findCopySource(home, workspace);
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(gitTimeout)]);
  const { top, commonFolder } = repository;
  await rm(home.copyFolder(session), { recursive: true, force: true });
  mkdirSync(home.copyFolder(session), { recursive: true, mode: 0o700 });
  const copyFolder = realpathSync(home.copyFolder(session));
  const inRepository = await CopyGit.open({ top, writable: commonFolder, signal });
  const source = { GIT_DIR: repository.folder, GIT_COMMON_DIR: commonFolder, HOME: "/" };
  const { origin } = options;
  const borrowed = origin?.run === undefined ? null : findRunObjects(home, origin.run, commonFolder);
  const alternates = borrowed === null ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(borrowed) };
  const first = ["rev-parse", "--verify", "--quiet", `${origin?.base ?? "HEAD"}^{commit}`];
  const { code, output } = await inRepository.run(first, { ...source, ...alternates });
  if (code !== 0)
    throw noCopy(
      workspace,
      `is in a repository without ${origin === undefined ? "a commit" : `the commit ${origin.base}`}`,
    );
  const base = output.toString().trim();
  const facts: CopyFacts = {
    version: 1,
    session,
    workspace,
    top,
    commonFolder,
    folder: join(copyFolder, basename(top) === "copy.json" || top === "/" ? "repository" : basename(top)),
    branch: `fairlead/${session}`,
    base,
    ...(borrowed !== null && { borrowed }),
    brought: null,
    isReady: false,
  };
  // First, so that what this leaves in the person's repository is found and removed after a crash.
  writeCopyFacts(home, facts);
  // The repository of a run keeps its commits itself.
  if (borrowed === null)
    await inRepository.read(
      ["update-ref", baseReference(session), base],
      { GIT_DIR: commonFolder, HOME: "/" },
      `The base of the copy cannot be kept in ${top}`,
    );
  await cloneShared(facts, await CopyGit.open({ top, writable: copyFolder, signal }));
  const place = placeInCopy(facts, workspace);
  if (!existsSync(place)) throw noCopy(workspace, "is not in the last commit");
  // A person who names the first commit does not expect what came after it.
  const omissions = origin === undefined ? await describeOmissions(facts, repository, signal) : [];
  // The files of a run's commit are an agent's, and the setup runs without a sandbox.
  const notices = [...omissions, ...(borrowed === null ? await options.setUp(place) : [])];
  writeCopyFacts(home, { ...facts, isReady: true });
  return { facts: { ...facts, isReady: true }, workspace: place, notices };
}

async function cloneShared({ folder, commonFolder, branch, base, borrowed }: CopyFacts, git: CopyGit): Promise<void> {
  const problem = "The isolated copy cannot be created";
  const gitFolder = join(folder, ".git");
  const env = { GIT_DIR: gitFolder, GIT_WORK_TREE: folder };
  await mkdir(folder);
  const format = base.length === 64 ? "sha256" : "sha1";
  await git.read(["init", "--quiet", "--template=", `--object-format=${format}`], env, problem);
  // A sandbox protects them only if they exist.
  for (const name of ["hooks", "info", "objects/info"]) await mkdir(join(gitFolder, name), { recursive: true });
  const sources = [join(commonFolder, "objects"), ...(borrowed === undefined ? [] : [borrowed])];
  await writeFile(alternatesFile(gitFolder), formatAlternates(sources));
  // Without it, git would look for the parents of the oldest commits of a shallow repository.
  const shallow = readPlainFile(join(commonFolder, "shallow"), maxShallowBytes);
  if (shallow !== null) await writeFile(join(gitFolder, "shallow"), shallow);
  await git.read(["update-ref", `refs/heads/${branch}`, base], env, problem);
  await git.read(["symbolic-ref", "HEAD", `refs/heads/${branch}`], env, problem);
  for (const name of ["user.name", "user.email"]) {
    const { code, output } = await git.run(
      ["config", "--file", join(commonFolder, "config"), "--no-includes", "--get", name],
      env,
    );
    if (code === 0) await git.read(["config", name, output.toString().trimEnd()], env, problem);
  }
  await git.read(["reset", "--hard", "--quiet"], env, problem);
}

/** Says what the person's folder has and the copy has not. */
async function describeOmissions(
  { base, top, folder }: CopyFacts,
  repository: GitRepository,
  signal: AbortSignal,
): Promise<string[]> {
  const count = await countUncommitted(top, { commit: base, index: join(repository.folder, "index"), signal }).catch(
    () => null,
  );
  const changes = count === 1 ? "One uncommitted change" : `${count ?? "The"} uncommitted changes`;
  return [
    ...(count === 0
      ? []
      : [`${changes} in ${top} ${count === 1 ? "is" : "are"} not in the copy. Commit first to include them.`]),
    ...(existsSync(join(folder, ".gitmodules"))
      ? [
          "The submodules of the copy are empty. List `git submodule update --init` under setup in fairlead.yaml to fill them.",
        ]
      : []),
  ];
}

function noCopy(workspace: string, reason: string): FairleadError {
  return new FairleadError(
    "not-supported",
    `There can be no isolated copy of ${workspace}: it ${reason}. Start without --isolated, or choose another folder.`,
  );
}

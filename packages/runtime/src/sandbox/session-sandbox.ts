import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { FairleadError, type Adapter, type AgentNeeds, type Opening, type Sandbox } from "@fairlead/contract";
import type { CredentialFile } from "@fairlead/contract";
import { isInside, noSandbox, resolveLinks } from "@fairlead/keeper";
import { buildChildEnvironment, type Environment } from "../host/child-environment.ts";
import { readPlainFile } from "../host/read-plain-file.ts";
import { readUserConfig } from "../config/user-config.ts";
import type { Home } from "../home.ts";
import { findCopy, type CopyFacts } from "../copies/copy-facts.ts";
import { findClone } from "../workspaces/clone-facts.ts";
import { chooseSandbox } from "./choose-sandbox.ts";
import { computeSandbox, standInKey, type SandboxChoice } from "./compute-sandbox.ts";
import { findGitFolders, type GitFolders } from "./find-git-folders.ts";
import { findOwnProgram, followOwnPaths, leadsToAllowed } from "./own-paths.ts";
import { findUserKind, findUserOpenings, type UserOpenings } from "./user-openings.ts";

export interface SessionSandboxOptions {
  readonly adapters: readonly Adapter[];
  readonly environment: Environment;
  readonly home: Home;
  /** Files with credentials of this process, which no agent may read. */
  readonly loginFiles?: readonly string[];
  /** What a session gets that asks for nothing. */
  readonly fallback: SandboxChoice["kind"];
  /** The network of a sandbox that names none. */
  readonly network: SandboxChoice["network"];
  /** Why there can be no sandbox on this machine; null if there can. */
  readonly problem: () => Promise<string | null>;
}

/** No agent's configuration is larger. */
const maxConfigurationBytes = 4 * 1024 * 1024;
const noNeeds: AgentNeeds = { writes: [], hides: [], protects: [] };

/** Determines the sandbox of a new session, and creates the folders of the agent's own that it needs. */
export async function determineSandbox(
  adapter: Adapter,
  opening: Opening,
  requested: Partial<SandboxChoice>,
  { adapters, environment, home, loginFiles = [], fallback, network, problem }: SessionSandboxOptions,
): Promise<Sandbox> {
  const namedHome = environment["HOME"] ?? homedir();
  const userHome = withoutLinks(namedHome);
  const workspace = withoutLinks(opening.workspace);
  const copy = findCopy(home, workspace);
  // What the user configured for a folder also applies to its copies.
  const configuredFolder = copy === null ? workspace : withoutLinks(copy.workspace);
  // A caller who asks for no sandbox does not depend on the file.
  const config = requested.kind === "none" ? null : readUserConfig(home.configFile);
  const configured = config === null ? undefined : findUserKind(config, configuredFolder, userHome);
  const choice = await chooseSandbox(
    configured === "bwrap" ? { kind: configured, ...requested } : requested,
    configured ?? fallback,
    problem,
    network,
  );
  if (choice.kind === "none" || config === null) return noSandbox;
  const environmentOf = (one: Adapter): Environment => buildChildEnvironment(environment, one.manifest.environment, {});
  const needsOf = (one: Adapter, its: Opening): AgentNeeds => one.needs?.(its, environmentOf(one)) ?? noNeeds;
  const needs = needsOf(adapter, opening);
  // Of another agent, neither the version nor the settings are known.
  const unknown = { ...opening, settings: {}, probeResult: { ...opening.probeResult, version: null, flags: [] } };
  const dataDirectory = withoutLinks(home.folder);
  const openings = findUserOpenings(config, configuredFolder, userHome);
  if (copy === null && findClone(home, workspace) === null)
    assertWorkspaceCanBeLimited(opening.workspace, { workspace, userHome, dataDirectory });
  assertOpeningsKeepData(openings, { userHome, dataDirectory });
  // A path with a slash at its end is a folder. The agent would create it, but not where it can only read.
  const limits = { workspace, userHome, namedHome, dataDirectory };
  for (const folder of [...needs.writes, ...needs.hides].filter((path) => path.endsWith("/"))) {
    if (leadsToAllowed(folder.slice(0, -1), limits)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  const { writes, reads } = followOwnPaths(needs, limits);
  const sandbox = computeSandbox(choice, {
    workspace,
    home: userHome,
    dataDirectory,
    loginFiles,
    // Links of the user, and their targets. Those of a workspace are not followed, because an agent could have laid them.
    needs: {
      ...withUsableCredential(needs, environment, environmentOf(adapter)),
      writes,
      reads: [...reads, ...findOwnProgram(opening.probeResult.program, writes)],
    },
    otherNeeds: adapters.filter((other) => other !== adapter).map((other) => needsOf(other, unknown)),
    gitFolders: withBorrowedObjects(
      copy,
      await findGitFolders(workspace, {
        home: userHome,
        commits: (folder) => findUserOpenings(config, folder, userHome).commits,
      }),
    ),
    openings,
  });
  return { ...sandbox, hides: sandbox.hides.map(withoutLinks), credential: locateCredential(sandbox, opening) };
}

/** An isolated copy borrows the objects of other repositories. Nothing else of those repositories is shown. */
function withBorrowedObjects(copy: CopyFacts | null, folders: GitFolders): GitFolders {
  if (copy === null) return folders;
  const borrowed = [join(copy.commonFolder, "objects"), ...(copy.borrowed === undefined ? [] : [copy.borrowed])];
  return { ...folders, shows: [...folders.shows, ...borrowed] };
}

/** Leaves out a key that the agent would not use, that the keeper could not, or that another variable contains. */
function withUsableCredential(needs: AgentNeeds, environment: Environment, agentEnvironment: Environment): AgentNeeds {
  const { credential, ...others } = needs;
  if (credential === undefined) return needs;
  // The keeper, which would connect to the service, trusts only the machine's usual authorities.
  const hasOwnAuthority = Boolean(environment["NODE_EXTRA_CA_CERTS"] ?? environment["SSL_CERT_FILE"]);
  const isTrusted = !hasOwnAuthority || !credential.url.startsWith("https:");
  const { [credential.variable]: key = "", ...rest } = agentEnvironment;
  const inside = Object.values({ ...rest, ...credential.variables(credential.url, standInKey) });
  const isKnown = key !== "" && inside.some((value) => value?.includes(key));
  return isTrusted && !isKnown && !credential.unless?.some(namesCredential) ? needs : others;
}

/** A file that cannot be read counts as one that names another credential: the session must not claim too much. */
function namesCredential({ path, pattern }: CredentialFile): boolean {
  if (pattern === undefined) return existsSync(path);
  try {
    return pattern.test(readPlainFile(withoutLinks(path), maxConfigurationBytes) ?? "");
  } catch {
    return true;
  }
}

function locateCredential({ gate }: Sandbox, { probeResult }: Opening): NonNullable<Sandbox["credential"]> {
  if (gate?.endpoint !== undefined) return "withheld";
  return probeResult.auth === "none" ? "none" : "inside";
}

/** A keeper mounts over no link: an agent could have laid it. This is the path that the user's links lead to. */
const withoutLinks = (path: string): string => resolveLinks(path) ?? path;

/** Throws if an agent that can write the workspace could undo its limits. */
function assertWorkspaceCanBeLimited(
  name: string,
  { workspace, userHome, dataDirectory }: Readonly<Record<"workspace" | "userHome" | "dataDirectory", string>>,
): void {
  const reason = isInside(workspace, dataDirectory)
    ? "is in Fairlead's data directory, whose sockets approve"
    : isInside(userHome, workspace)
      ? "contains your home, where an agent could create files that run when you log in"
      : null;
  if (reason === null) return;
  throw new FairleadError(
    "not-allowed",
    `The workspace ${name} ${reason}. Choose another, or start without a sandbox: --sandbox none.`,
  );
}

function assertOpeningsKeepData(
  { shows, writes }: UserOpenings,
  { userHome, dataDirectory }: Readonly<Record<"userHome" | "dataDirectory", string>>,
): void {
  for (const path of [...shows, ...writes]) {
    const shown = isInside(userHome, path)
      ? "all of your home"
      : isInside(dataDirectory, path) || isInside(path, dataDirectory)
        ? "Fairlead's data directory"
        : null;
    if (shown === null) continue;
    const message = `config.yaml opens ${path}, which would show agents ${shown}.`;
    throw new FairleadError("invalid-settings", `${message} Open a smaller folder.`);
  }
}

import { mkdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { FairleadError, type Adapter, type AgentNeeds, type Opening, type Sandbox } from "@fairlead/contract";
import { buildChildEnvironment, type Environment } from "../host/child-environment.ts";
import { readUserConfig } from "../config/user-config.ts";
import type { Home } from "../home.ts";
import { chooseSandbox } from "./choose-sandbox.ts";
import { computeSandbox, type SandboxChoice } from "./compute-sandbox.ts";
import { findGitFolders } from "./find-git-folders.ts";
import { findUserOpenings, isInside } from "./user-openings.ts";

export interface SessionSandboxOptions {
  readonly adapters: readonly Adapter[];
  readonly environment: Environment;
  readonly home: Home;
  /** What a session gets that asks for nothing. */
  readonly fallback: SandboxChoice["kind"];
  /** Why there can be no sandbox on this machine; null if there can. */
  readonly problem: () => Promise<string | null>;
}

const noNeeds: AgentNeeds = { writes: [], hides: [], protects: [] };

/** Determines the sandbox of a new session, and creates the folders of the agent's own that it needs. */
export async function determineSandbox(
  adapter: Adapter,
  opening: Opening,
  requested: Partial<SandboxChoice>,
  { adapters, environment, home, fallback, problem }: SessionSandboxOptions,
): Promise<Sandbox> {
  const choice = chooseSandbox(requested, fallback, await problem());
  const needsOf = (one: Adapter): AgentNeeds =>
    one.needs?.(opening, buildChildEnvironment(environment, one.manifest.environment, {})) ?? noNeeds;
  const needs = needsOf(adapter);
  const userHome = resolveLinks(environment["HOME"] ?? homedir());
  const workspace = resolveLinks(opening.workspace);
  const sandbox = computeSandbox(choice, {
    workspace,
    home: userHome,
    dataDirectory: resolveLinks(home.folder),
    needs,
    otherNeeds: adapters.filter((other) => other !== adapter).map(needsOf),
    gitFolders: await findGitFolders(opening.workspace),
    openings: findUserOpenings(readUserConfig(home.configFile), workspace, userHome),
  });
  if (sandbox.kind === "none") return sandbox;
  if (isInside(userHome, workspace)) {
    const message = `The workspace ${opening.workspace} contains your home, where an agent could create files that run when you log in.`;
    throw new FairleadError("not-allowed", `${message} Choose a folder in your home, or start without a sandbox.`);
  }
  // A path with a slash at its end is a folder. The agent would create it, but not where it can only read.
  for (const folder of needs.writes.filter((path) => path.endsWith("/"))) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  const resolveAll = (paths: readonly string[]): string[] => paths.map(resolveLinks);
  const { writes, hides, shows } = sandbox;
  return { ...sandbox, writes: resolveAll(writes), hides: resolveAll(hides), shows: resolveAll(shows) };
}

/** A keeper mounts over no link: an agent could have laid it. These are the paths that the user's links lead to. */
function resolveLinks(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // it does not exist
  }
}

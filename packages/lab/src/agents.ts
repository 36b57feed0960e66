import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A vendor's program that the lab can install and run. */
export interface LabAgent {
  readonly id: string;
  /** The name of its npm package. */
  readonly package: string;
  /** The version that the recordings and tests were made with. */
  readonly version: string;
  /** The path of its program, relative to the agent's folder. */
  readonly program: string;
  /** The arguments that make the program print its version. */
  readonly versionArgs: readonly string[];
}

export const labAgents: readonly LabAgent[] = [
  {
    id: "claude-code",
    package: "@anthropic-ai/claude-code",
    version: "2.1.325",
    program: "node_modules/.bin/claude",
    versionArgs: ["--version"],
  },
  {
    id: "codex",
    package: "@openai/codex",
    version: "0.166.0",
    program: "node_modules/.bin/codex",
    versionArgs: ["--version"],
  },
  {
    id: "gemini-cli",
    package: "@google/gemini-cli",
    version: "0.61.0",
    program: "node_modules/.bin/gemini",
    versionArgs: ["--version"],
  },
  {
    id: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    program: "node_modules/.bin/opencode",
    versionArgs: ["--version"],
  },
  {
    id: "openclaw",
    package: "openclaw",
    version: "2026.9.6",
    program: "node_modules/.bin/openclaw",
    versionArgs: ["--version"],
  },
  {
    id: "amp",
    package: "@sourcegraph/amp",
    // The last build that runs the agent loop locally. In later builds the loop runs on the vendor's servers.
    version: "0.0.1769314944-g5070a1",
    program: "node_modules/.bin/amp",
    versionArgs: ["--version"],
  },
];

export function findLabAgent(id: string): LabAgent {
  const agent = labAgents.find((candidate) => candidate.id === id);
  if (agent) return agent;
  throw new Error(`Unknown agent "${id}". The lab can install: ${labAgents.map((listed) => listed.id).join(", ")}.`);
}

/** Returns the pinned version, unless `FAIRLEAD_AGENT_VERSIONS` (`id=version,…`) names another one. */
export function resolveAgentVersion(id: string): string {
  const overrides = (process.env["FAIRLEAD_AGENT_VERSIONS"] ?? "").split(",").map((entry) => entry.split("="));
  return overrides.find(([name]) => name === id)?.[1] ?? findLabAgent(id).version;
}

/**
 * Returns the folder of an installed agent, below the repository and ignored by git. Each other version has its own
 * folder.
 */
export function agentFolder(id: string, version: string = resolveAgentVersion(id)): string {
  const name = version === findLabAgent(id).version ? id : `${id}@${version}`;
  return fileURLToPath(new URL(`../../../.agents/${name}/`, import.meta.url));
}

/** Returns the absolute path of an installed agent's program. Throws if it is not installed. */
export function agentProgram(id: string): string {
  const program = agentFolder(id) + findLabAgent(id).program;
  if (existsSync(program)) return program;
  throw new Error(
    `The agent "${id}" (${resolveAgentVersion(id)}) is not installed. Install it with: node scripts/install-agents.ts ${id}`,
  );
}

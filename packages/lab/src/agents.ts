import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A vendor's program that the lab can install and run. */
export interface Agent {
  readonly id: string;
  /** Its name on npm. */
  readonly package: string;
  /** The version that our recordings and tests were made with. */
  readonly version: string;
  /** Where its program lies below the agent's folder. */
  readonly program: string;
  /** How it is asked for its version. */
  readonly versionArgs: readonly string[];
}

export const agents: readonly Agent[] = [
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
    // The last build whose loop runs on this machine; later ones are a window onto the vendor's servers.
    version: "0.0.1769314944-g5070a1",
    program: "node_modules/.bin/amp",
    versionArgs: ["--version"],
  },
];

export function findAgent(id: string): Agent {
  const agent = agents.find((candidate) => candidate.id === id);
  if (agent) return agent;
  throw new Error(`The lab knows no agent "${id}". It knows: ${agents.map((known) => known.id).join(", ")}.`);
}

/** The version that is meant now: the pinned one, unless `FAIRLEAD_AGENT_VERSIONS` names another (`id=version,…`). */
export function agentVersion(id: string): string {
  const named = (process.env["FAIRLEAD_AGENT_VERSIONS"] ?? "").split(",").map((one) => one.split("="));
  return named.find(([name]) => name === id)?.[1] ?? findAgent(id).version;
}

/** The folder that an agent is installed in: below the repository, ignored by git. Other versions have their own. */
export function agentFolder(id: string, version: string = agentVersion(id)): string {
  const name = version === findAgent(id).version ? id : `${id}@${version}`;
  return fileURLToPath(new URL(`../../../.agents/${name}/`, import.meta.url));
}

/** The absolute path of an installed agent's program. */
export function agentProgram(id: string): string {
  const program = agentFolder(id) + findAgent(id).program;
  if (existsSync(program)) return program;
  throw new Error(
    `The agent "${id}" (${agentVersion(id)}) is not installed. Install it with: node scripts/install-agents.ts ${id}`,
  );
}

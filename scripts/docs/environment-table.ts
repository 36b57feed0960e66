import { readFileSync } from "node:fs";
import { join } from "node:path";
import { adapters, unverifiedAdapters } from "@fairlead/adapters";
import type { Adapter, Effect, Opening, ProbeHost } from "@fairlead/contract";
import { root } from "../run.ts";
import { agentVariables, internalVariables, userVariables, type EnvironmentVariable } from "./environment.ts";
import { code, codeList, renderTable } from "./markdown-table.ts";
import { wrapParagraph } from "./wrap-paragraph.ts";

const allAdapters: readonly Adapter[] = [...adapters, ...unverifiedAdapters];

/** Finds the variables that an adapter's probe looks for, by running it on a host where none of them is set. */
async function findProbedVariables(adapter: Adapter): Promise<string[]> {
  const names = new Set<string>();
  const host: ProbeHost = {
    find: async (program) => `/bin/${program}`,
    run: async () => ({ code: 0, stdout: "1.0.0", stderr: "" }),
    hasVariable: (name) => {
      names.add(name);
      return false;
    },
    exists: async () => false,
  };
  await adapter.probe(host);
  return [...names];
}

/** The variables that each adapter's probe looks for. Probes are asynchronous; the tables are not. */
export const probedVariables: ReadonlyMap<string, readonly string[]> = new Map(
  await Promise.all(
    allAdapters.map(async (adapter) => [adapter.manifest.id, await findProbedVariables(adapter)] as const),
  ),
);

/** Renders the tables of environment variables: read, passed on to agents, set for agents, internal. */
export function renderEnvironment(): string {
  return [
    "### Variables that Fairlead reads",
    renderTable(["variable", "read by", "default", "meaning"], Object.entries(userVariables).map(toReadRow)),
    "### Variables that every agent gets",
    "Every agent gets these from the daemon's environment:",
    wrapParagraph(codeList(listInheritedVariables())).join("\n"),
    "### Variables by agent",
    "An agent also gets these from the daemon's environment. `fairlead doctor` looks for a sign-in in the last column:",
    renderTable(["agent", "gets", "sign-in"], allAdapters.map(toAgentRow)),
    "### Variables that Fairlead sets for agents",
    renderTable(["variable", "set for", "meaning"], Object.entries(agentVariables).map(toSetRow)),
    "### Internal variables",
    "For tests and for work on Fairlead:",
    renderTable(["variable", "read by", "default", "meaning"], Object.entries(internalVariables).map(toReadRow)),
  ].join("\n\n");
}

function toReadRow([name, { who, defaultValue = "", meaning }]: [string, EnvironmentVariable]): string[] {
  return [code(name), who, defaultValue, meaning];
}

function toSetRow([name, { who, meaning }]: [string, EnvironmentVariable]): string[] {
  return [code(name), who, meaning];
}

function toAgentRow({ manifest: { id, environment } }: Adapter): string[] {
  return [code(id), codeList(environment), codeList(probedVariables.get(id) ?? [])];
}

/** Reads the names that every agent gets. `*` stands for any end of a name. */
export function listInheritedVariables(): string[] {
  const source = readFileSync(join(root, "packages/runtime/src/host/child-environment.ts"), "utf8");
  const lists = source.matchAll(/^const \w+Variables = \[([^\]]*)\];/gm);
  return [...lists].flatMap(([, list = ""]) => [...list.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name));
}

/** Finds the variables that an adapter sets for its agent, from the commands with which it starts the agent. */
export function findLaunchVariables(adapter: Adapter): string[] {
  const names = new Set<string>();
  for (const mode of adapter.manifest.modes) {
    const opening = createOpening(adapter, mode);
    const { dialect } = adapter.open(opening);
    const opened = dialect.handle(dialect.initialState, { type: "open" });
    const sent = dialect.handle(opened.state, { type: "send", turn: "t1", text: "hello" });
    const effects: readonly Effect[] = [...(opened.effects ?? []), ...(sent.effects ?? [])];
    const commands = effects.flatMap((effect) => (effect.type === "launch" ? [effect.command] : []));
    const terminal = adapter.terminalCommand?.(opening, "conversation");
    for (const { env } of terminal === undefined ? commands : [...commands, terminal])
      for (const name of Object.keys(env)) names.add(name);
  }
  return [...names];
}

function createOpening({ manifest }: Adapter, mode: Opening["mode"]): Opening {
  return {
    session: "s1",
    name: null,
    agent: manifest.id,
    adapterVersion: manifest.version,
    workspace: "/workspace",
    mode,
    settings: manifest.settings.parse({}),
    probeResult: { installed: true, program: "/bin/agent", version: "1.0.0", flags: [], auth: "none", problems: [] },
    continues: null,
  };
}

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Drift } from "@fairlead/conformance";
import type { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import type { Surroundings } from "../surroundings.ts";
import { WrongUse } from "../wrong-use.ts";
import type { Run } from "./run-command.ts";

interface DriftOptions {
  readonly only?: string;
  readonly json?: boolean;
}

export function addDrift(program: Command, run: Run): void {
  program
    .command("drift")
    .summary("what changed between two versions of an agent")
    .description(
      "Installs both versions, puts them into the same situations without a network, and tells in words what appeared, vanished or changed: in their flags, on the wire, in our events, in the clauses of the contract.",
    )
    .argument("<agent>", "which agent")
    .argument("<before>", "a version of it")
    .argument("<after>", "another version")
    .option("--only <text>", "only situations whose name contains this")
    .option("--json", "one JSON value")
    .addHelpText("after", "\nExit codes: 0 no difference, 1 there are some, 2 wrong use.")
    .action((agent: string, before: string, after: string, options: DriftOptions) =>
      run((surroundings) => drift(surroundings, agent, [before, after], options)),
    );
}

async function drift(
  { screen }: Surroundings,
  agent: string,
  versions: readonly [string, string],
  { only, json = false }: DriftOptions,
): Promise<number> {
  // Only this command needs the lab, and it is large.
  const { agents, installAgent, offline } = await import("@fairlead/lab").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new WrongUse("Drift is found in the lab, which is not installed with the command: it needs the repository.");
  });
  if (!agents.some(({ id }) => id === agent)) {
    const known = agents.map(({ id }) => id).join(", ");
    throw new WrongUse(
      `The lab has no program for "${agent}". It has: ${known}.`,
      `fairlead drift ${agents[0]?.id} A B`,
    );
  }
  for (const version of versions) {
    const outcome = await installAgent(agent, version);
    if (!json) screen.aside(`${agent} ${version}: ${outcome}.`);
  }
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const program = fileURLToPath(new URL(`../drift-offline.${ending}`, import.meta.url));
  const [command, args] = offline(process.execPath, [program, JSON.stringify({ agent, versions, only })]);
  const { status, stdout } = spawnSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  if (status !== 0) throw new WrongUse("The two versions could not be put on the stage; see above.");
  const found = JSON.parse(stdout) as Drift;
  if (json) screen.json(found);
  else for (const line of linesOf(found)) screen.line(line);
  return Object.values(found).some((sentences: readonly string[]) => sentences.length > 0)
    ? exitCodes.failed
    : exitCodes.done;
}

const headings: Readonly<Record<keyof Drift, string>> = {
  flags: "Flags",
  wire: "On the wire",
  events: "In our events",
  clauses: "In the contract's clauses",
};

function linesOf(found: Drift): string[] {
  const parts = (Object.entries(headings) as [keyof Drift, string][]).filter(([part]) => found[part].length > 0);
  if (parts.length === 0) return ["No difference."];
  return parts.flatMap(([part, heading]) => [heading, ...found[part].map((sentence) => `  ${sentence}`)]);
}

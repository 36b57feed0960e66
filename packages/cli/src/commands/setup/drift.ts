import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Drift } from "@fairlead/conformance";
import type { Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import type { CliContext } from "../../cli-context.ts";
import { UsageError } from "../../usage-error.ts";
import type { CommandRunner } from "../command-runner.ts";

interface DriftOptions {
  readonly only?: string;
  readonly json?: boolean;
}

export function addDrift(program: Command, run: CommandRunner): void {
  program
    .command("drift")
    .summary("Compare two versions of an agent.")
    .description(
      "Install both versions, run them through the same scenarios without a network, and describe what was added, removed or changed in flags, wire messages, events and contract clauses.",
    )
    .argument("<agent>", "agent to compare")
    .argument("<before>", "first version")
    .argument("<after>", "second version")
    .option("--only <text>", "run only scenarios whose name contains this text")
    .option("--json", "print one JSON value")
    .addHelpText(
      "after",
      "\nExample:\n  fairlead drift AGENT 1.0.0 1.1.0\n\nExit codes:\n  0  There is no difference.\n  1  There are differences.\n  2  The command line is wrong.",
    )
    .action((agent: string, before: string, after: string, options: DriftOptions) =>
      run((context) => drift(context, agent, [before, after], options)),
    );
}

async function drift(
  { screen }: CliContext,
  agent: string,
  versions: readonly [string, string],
  { only, json = false }: DriftOptions,
): Promise<number> {
  // Loaded here: only this command needs the lab, and it is large.
  const { labAgents, installAgent, offlineCommand } = await import("@fairlead/lab").catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
      throw new UsageError(
        "drift needs the lab, which is not installed with the command. Run it in a checkout of the repository.",
      );
    },
  );
  if (!labAgents.some(({ id }) => id === agent)) {
    const agentNames = labAgents.map(({ id }) => id).join(", ");
    throw new UsageError(
      `The lab has no agent "${agent}". Agents: ${agentNames}.`,
      `fairlead drift ${labAgents[0]?.id} A B`,
    );
  }
  for (const version of versions) {
    const outcome = await installAgent(agent, version);
    if (!json) screen.printHint(`${agent} ${version}: ${outcome}.`);
  }
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const program = fileURLToPath(new URL(`../../drift-offline.${extension}`, import.meta.url));
  const [command, args] = offlineCommand(process.execPath, [program, JSON.stringify({ agent, versions, only })]);
  const { status, stdout } = spawnSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  if (status !== 0) throw new UsageError("The scenarios could not be run; see the messages above.");
  const report = JSON.parse(stdout) as Drift;
  if (json) screen.json(report);
  else for (const line of driftLines(report)) screen.line(line);
  return Object.values(report).some((sentences: readonly string[]) => sentences.length > 0)
    ? cliExitCodes.failed
    : cliExitCodes.success;
}

const headings: Readonly<Record<keyof Drift, string>> = {
  flags: "Flags",
  wire: "Wire messages",
  events: "Events",
  clauses: "Contract clauses",
};

function driftLines(report: Drift): string[] {
  const parts = (Object.entries(headings) as [keyof Drift, string][]).filter(([part]) => report[part].length > 0);
  if (parts.length === 0) return ["No difference."];
  return parts.flatMap(([part, heading]) => [heading, ...report[part].map((sentence) => `  ${sentence}`)]);
}

import { Argument, type Command } from "commander";
import { parseInteger } from "../../arguments/parse-options.ts";
import type { CliContext } from "../../cli-context.ts";
import { UsageError } from "../../usage-error.ts";
import type { CommandRunner } from "../command-runner.ts";
import { cancelRun } from "./cancel-run.ts";
import { checkPlanFile } from "./check-plan-file.ts";
import { explainRun } from "./explain-run.ts";
import { listRuns } from "./list-runs.ts";
import { runPlan } from "./run-plan.ts";
import { showRun } from "./show-run.ts";
import { writePlan } from "./write-plan.ts";

const actions = ["check", "plan", "run", "ls", "show", "why", "cancel"] as const;

export interface ForemanCommandOptions {
  readonly agent?: string;
  readonly output?: string;
  readonly workspace?: string;
  readonly detach?: boolean;
  readonly follow?: boolean;
  readonly limit?: number;
  readonly all?: boolean;
  readonly json?: boolean;
}

export function addForeman(program: Command, run: CommandRunner): void {
  program
    .command("foreman")
    .summary("Run a plan: agents build, another vendor's agent reviews, you approve.")
    .description(
      "Run several agents towards one goal, as a plan (foreman.yaml) says: agents build, commands accept, an agent of another vendor reviews, a person approves, and a branch is sent for merging.",
    )
    .addArgument(new Argument("<action>", "what to do").choices(actions))
    .argument("[subject]", "plan file of `check` and `run`; goal of `plan`; id of a run of `show`, `why` and `cancel`")
    .option("--agent <agent>", "agent that makes the plan (only `plan`)")
    .option("-o, --output <file>", "file of the plan, or - for standard output (only `plan`; default: foreman.yaml)")
    .option("-w, --workspace <folder>", "folder in a working tree of git (default: the current one)")
    .option("-d, --detach", "print the id of the run, and do not follow it (only `run`)")
    .option("-f, --follow", "follow the run until it ends (only `show`)")
    .option("-n, --limit <number>", "list at most this number of runs (only `ls`; default: 20)", (text: string) =>
      parseInteger(text, 1),
    )
    .option("-a, --all", "list all runs (only `ls`)")
    .option("--json", "print JSON: one value, one per run, or one per event that is followed")
    .addHelpText("after", help)
    .action((action: (typeof actions)[number], subject: string | undefined, options: ForemanCommandOptions) =>
      run((context) => execute(context, action, subject, options)),
    );
}

async function execute(
  context: CliContext,
  action: (typeof actions)[number],
  subject: string | undefined,
  options: ForemanCommandOptions,
): Promise<number> {
  if (action === "ls") {
    if (subject !== undefined) throw new UsageError("`ls` takes no run.", `fairlead foreman show ${subject}`);
    return await listRuns(context, options);
  }
  if (subject === undefined) throw new UsageError(missing[action][0], missing[action][1]);
  const commands = {
    check: checkPlanFile,
    plan: writePlan,
    run: runPlan,
    show: showRun,
    why: explainRun,
    cancel: cancelRun,
  } as const;
  return await commands[action](context, subject, options);
}

const missing = {
  check: ["The file of the plan is missing.", "fairlead foreman check foreman.yaml"],
  plan: ["The goal is missing.", 'fairlead foreman plan "…"'],
  run: ["The file of the plan is missing.", "fairlead foreman run foreman.yaml"],
  show: ["The run is missing.", "fairlead foreman ls"],
  why: ["The run is missing.", "fairlead foreman ls"],
  cancel: ["The run is missing.", "fairlead foreman ls"],
} as const;

const help = `
Actions:
  check FILE   Say what prevents a run of the plan.
  plan "…"     Let an agent write a plan for a goal.
  run FILE     Start a run and follow it.
  ls           List runs, latest activity first.
  show RUN     Show the tasks, the agents and the costs.
  why RUN      Explain each step and what enforced it.
  cancel RUN   Stop the agents and end the run.

A run that waits for you is answered with
fairlead approve RUN or fairlead deny RUN.

Examples:
  fairlead foreman plan "add a parser for dates"
  fairlead foreman run foreman.yaml
  fairlead foreman show run-54tq -f

Exit codes of run and show -f:
  0    The request was made, or nothing was to do.
  1    The run ended otherwise.
  130  The run was canceled, or you stopped following it.`;

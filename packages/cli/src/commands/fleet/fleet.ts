import { Argument, type Command } from "commander";
import type { CliContext } from "../../cli-context.ts";
import { UsageError } from "../../usage-error.ts";
import type { CommandRunner } from "../command-runner.ts";
import { requireFleetFile } from "./open-fleet-engine.ts";
import type { PlanOptions } from "./plan/show-fleet-plan.ts";

const actions = ["init", "status", "hosts", "drain", "move", "plan"] as const;
type FleetAction = (typeof actions)[number];

export interface FleetCommandOptions extends PlanOptions {
  readonly fleet?: string;
  readonly undo?: boolean;
  readonly json?: boolean;
}

export function addFleet(program: Command, run: CommandRunner): void {
  program
    .command("fleet")
    .summary("Set up and operate a fleet of many hosts.")
    .description(
      "Set up and operate the NATS servers on which many hosts keep their sessions. One machine needs no fleet and no servers.",
    )
    .addArgument(new Argument("<action>", "what to do").choices(actions))
    .argument("[target]", "host to drain, or session to move")
    .option("--fleet <file>", "file that names the servers of the fleet")
    .option("--undo", "drain: have a drained host take work again")
    .option("--sessions <n>", "plan: sessions of the fleet")
    .option("--rate <events>", "plan: events per second of all sessions together")
    .option("--pace <ms>", "plan: milliseconds of events in one frame of a session (default: 0, one event)")
    .option("--cores <n>", "plan: processors of each server (default: 8)")
    .option("--streams <n>", "plan: streams of the log (default: 16)")
    .option("--per-host <n>", "plan: sessions of each host (default: 100)")
    .option("--measured <file>", "plan: costs that the claim `slope` has measured")
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action((action: FleetAction, target: string | undefined, options: FleetCommandOptions) =>
      run((context) => execute(context, action, target, options)),
    );
}

async function execute(
  context: CliContext,
  action: FleetAction,
  target: string | undefined,
  options: FleetCommandOptions,
): Promise<number> {
  const { fleet, json = false } = options;
  const takesTarget = action === "drain" || action === "move";
  if (target !== undefined && !takesTarget) {
    throw new UsageError(`fleet ${action} takes no name: ${target}`, `fairlead fleet ${action} --fleet fleet.yaml`);
  }
  if (options.undo === true && action !== "drain") {
    throw new UsageError("--undo is for fleet drain only.", "fairlead fleet drain HOST --undo --fleet fleet.yaml");
  }
  if (action === "plan") {
    const { showFleetPlan } = await import("./plan/show-fleet-plan.ts");
    return showFleetPlan(context, options, json);
  }
  if (takesTarget && target === undefined) {
    const [missing, example] = action === "drain" ? ["host", "build-1-3f2a9c01"] : ["session", "24h3"];
    throw new UsageError(`The ${missing} is missing.`, `fairlead fleet ${action} ${example} --fleet fleet.yaml`);
  }
  const file = requireFleetFile(fleet, `fleet ${action}`);
  switch (action) {
    case "init":
      return await (await import("./init-fleet-from-file.ts")).initFleetFromFile(context, file, json);
    case "status":
      return await (await import("./status/show-fleet-status.ts")).showFleetStatus(context, file, json);
    case "hosts":
      return await (await import("./list-fleet-hosts.ts")).listFleetHosts(context, file, json);
    case "drain":
      return options.undo === true
        ? await (await import("./leave-host.ts")).undoDrain(context, file, target ?? "", json)
        : await (await import("./leave-host.ts")).drainHost(context, file, target ?? "", json);
    case "move":
      return await (await import("./leave-host.ts")).moveSession(context, file, target ?? "", json);
  }
}

const help = `
Actions:
  init    Check the servers and create the streams. It
          refuses servers that could lose or double events.
          To run it again changes nothing.
  status  Show whether the fleet is healthy, and what to do
          if it is not. The exit code is 1 then.
  hosts   List the hosts.
  drain   Let the turns on a host end, then move its
          sessions to other hosts of its pool. It takes no
          more work, until --undo or a restart.
  move    Move one session to another host of its pool.
  plan    Compute the servers and hosts that a load needs.
          It asks no server.

Examples:
  fairlead fleet init --fleet fleet.yaml
  fairlead fleet status --fleet fleet.yaml
  fairlead fleet plan --sessions 1000 --rate 10000 \\
    --pace 250`;

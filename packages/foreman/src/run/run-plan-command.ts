import type { CommandResult, PlanCommand } from "@fairlead/api";
import type { Sandbox } from "@fairlead/contract";
import type { StepContext } from "../workflows/workflows.ts";
import type { RunDependencies, RunFacts } from "./run-dependencies.ts";
import { waitForTurn } from "./wait-for-turn.ts";

/** Characters of the end of a command's output that are kept. The session has the whole output. */
const keptOutput = 6000;

/** Where a command runs: in a new checkout of a commit, or in the checkout of an earlier command. */
export type CommandPlace = { readonly commit: string } | { readonly folder: string };

/**
 * Runs a command of the plan as a session of a shell in a sandbox. Its exit code decides whether it passed. The home of the
 * user is not visible in it.
 */
export async function runPlanCommand(
  { fairlead, log }: RunDependencies,
  { run, workspace }: RunFacts,
  { command, timeout }: PlanCommand,
  { place, network }: { readonly place: CommandPlace; readonly network: Sandbox["network"] },
  step: StepContext,
): Promise<{ readonly result: CommandResult; readonly folder: string }> {
  const where = "commit" in place ? { workspace, isolated: { base: place.commit, run } } : { workspace: place.folder };
  const view = await fairlead.start(
    {
      agent: "shell",
      ...where,
      settings: { timeout },
      sandbox: { kind: "bwrap", workspace: "write", network },
      prompt: command,
    },
    { key: step.key, signal: step.signal },
  );
  const { session } = view;
  await log.append(run, step.key, { type: "command.started", command, session });
  const end = await waitForTurn(fairlead, session, { turn: null, after: 0, signal: step.signal });
  let output = "";
  for await (const event of fairlead.events(session))
    if ("body" in event && event.body.type === "text.ended") output = (output + event.body.text).slice(-keptOutput);
  await fairlead.stop(session, { key: `${step.key}.stop`, signal: step.signal });
  const passed = end.state === "completed";
  return {
    result: { command, session, passed, problem: passed ? null : end.reason, output },
    folder: view.workspace,
  };
}

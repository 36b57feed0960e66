import { sanitizeText, type SessionView } from "@fairlead/api";
import type { Command } from "commander";
import { readBrief } from "../../arguments/read-brief.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { CliContext } from "../../cli-context.ts";
import { UsageError } from "../../usage-error.ts";
import { sessionArgument, type CommandRunner } from "../command-runner.ts";
import { nameEndedSession } from "../name-ended-session.ts";

interface UpdateBriefOptions {
  readonly show?: boolean;
  readonly json?: boolean;
}

export function addUpdateBrief(program: Command, run: CommandRunner): void {
  program
    .command("update-brief")
    .summary("Replace the brief of a session.")
    .description(
      "Replace the brief of a session. An agent that can be steered gets it in the running turn, others with the next message.",
    )
    .argument(...sessionArgument)
    .argument("[file]", "YAML or JSON file with the whole brief: title, goal, constraints, acceptance")
    .option("--show", "print the current brief as YAML and change nothing")
    .option("--json", "print one JSON value")
    .addHelpText(
      "after",
      "\nExamples:\n  fairlead update-brief 54tq --show > brief.yaml\n  fairlead update-brief 54tq brief.yaml",
    )
    .action((sessionRef: string, file: string | undefined, options: UpdateBriefOptions) =>
      run((context) => updateBrief(context, sessionRef, file, options)),
    );
}

async function updateBrief(
  context: CliContext,
  sessionRef: string,
  file: string | undefined,
  { show = false, json = false }: UpdateBriefOptions,
): Promise<number> {
  if (show === (file !== undefined))
    throw new UsageError(
      "Name a file with the brief, or use --show.",
      `fairlead update-brief ${sessionRef} brief.yaml`,
    );
  const brief = file === undefined ? null : await readBrief(context.folder, file);
  await using fairlead = await openFairlead(context);
  const view = await fairlead.session(sessionRef);
  if (brief === null) return await showBrief(context, view, json);
  await nameEndedSession(fairlead, view.session, fairlead.updateBrief(view.session, brief));
  if (json) context.screen.json({ session: view.session });
  else context.screen.line(`The brief of ${view.session} is changed. ${describeDelivery(view)}`);
  return cliExitCodes.success;
}

async function showBrief({ screen }: CliContext, { session, brief }: SessionView, json: boolean): Promise<number> {
  if (json) screen.json({ session, brief: brief ?? null });
  else if (brief === undefined) screen.warn(`${session} has no brief.`);
  else {
    const { formatBrief } = await import("@fairlead/runtime");
    screen.line(sanitizeText(formatBrief(brief)).trimEnd());
  }
  return cliExitCodes.success;
}

/** States with an open turn. */
const turnStates: readonly SessionView["state"][] = ["working", "waiting", "silent", "stuck"];

function describeDelivery({ state, capabilities, lead }: SessionView): string {
  const isSteered = lead === "agent" && turnStates.includes(state) && capabilities.includes("steer");
  return isSteered ? "The agent gets it in the running turn." : "The agent gets it with the next message.";
}

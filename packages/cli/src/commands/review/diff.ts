import { escapeInvisible } from "@fairlead/contract";
import { type DiffQuery, toOneLine } from "@fairlead/api";
import { type Command, Option } from "commander";
import { parseInteger } from "../../arguments/parse-options.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { Paint } from "../../render/paint.ts";
import type { CliContext } from "../../cli-context.ts";
import { sessionArgument, type CommandRunner } from "../command-runner.ts";
import { findSessionOrRun } from "./find-waiting-decision.ts";

export function addDiff(program: Command, run: CommandRunner): void {
  program
    .command("diff")
    .summary("Show the changes in a session's workspace.")
    .description(
      "Show all changes in the workspace since the commit at which the session started, by any program. If there was none, show those since the session started. Of a run, show what is or would be sent for merging. On a pipe, prints a patch for git.",
    )
    .argument(...sessionArgument)
    .option("--turn <number>", "show only what changed during one turn, counted from 1", (text) =>
      parseInteger(text, 1),
    )
    .addOption(
      new Option(
        "--since <time>",
        "show what changed since the start of the session, or what is not committed",
      ).choices(["start", "commit"]),
    )
    .option("--room <name>", "show only what changed in one room of fairlead.yaml")
    .option("--json", "print one JSON value")
    .addHelpText(
      "after",
      "\nExamples:\n  fairlead diff 54tq\n  fairlead diff 54tq | git apply -R\n  fairlead diff 54tq --turn 2\n  fairlead diff 54tq --since commit\n  fairlead diff 54tq --room web",
    )
    .action((sessionRef: string, options: DiffOptions) => run((context) => diff(context, sessionRef, options)));
}

interface DiffOptions extends DiffQuery {
  readonly json?: boolean;
}

async function diff(
  context: CliContext,
  sessionRef: string,
  { json = false, turn, since, room }: DiffOptions,
): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const id = await findSessionOrRun(fairlead, sessionRef);
  const view = await fairlead.diff(id, {
    ...(turn !== undefined && { turn }),
    ...(since !== undefined && { since }),
    ...(room !== undefined && { room }),
  });
  if (json) {
    screen.json(view);
    return cliExitCodes.success;
  }
  if (screen.isTerminal) for (const line of patchLines(view.patch, screen.paint)) screen.line(line);
  else screen.show([{ to: "out", text: view.patch }]);
  const omitted = view.omitted ?? [];
  if (omitted.length > 0)
    screen.warn(`Too large to be kept, and not in the patch: ${omitted.map((path) => toOneLine(path)).join(", ")}`);
  if (since === "commit" && view.base === null)
    screen.warn("The repository has no commit yet. The patch has all files that it does not ignore.");
  else if (view.base === null && view.patch === "" && turn === undefined)
    screen.warn(
      `There is no change that git could show. List the files that the agent reported with: fairlead files ${sessionRef}`,
    );
  if (view.truncated)
    screen.warn(
      id.startsWith("run-")
        ? "The patch is too long and was cut. See all files of a task with: fairlead diff RUN.TASK"
        : "The patch is too long and was cut. See all of it with: git diff (in the workspace)",
    );
  return cliExitCodes.success;
}

/** Renders a patch for a terminal. Escapes invisible characters, so that file content cannot control the terminal or hide. */
export function patchLines(patch: string, paint: Paint): string[] {
  if (patch === "") return [];
  return patch
    .trimEnd()
    .split("\n")
    .map((line) => colorPatchLine(escapeInvisible(line.replace(/\r$/, "")), paint));
}

function colorPatchLine(line: string, paint: Paint): string {
  if (/^(diff|index|---|\+\+\+|new file|deleted file|similarity|rename) ?/.test(line)) return paint("bold", line);
  if (line.startsWith("@@")) return paint("cyan", line);
  if (line.startsWith("+")) return paint("green", line);
  return line.startsWith("-") ? paint("red", line) : line;
}

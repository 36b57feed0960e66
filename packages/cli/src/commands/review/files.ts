import { type FileView, toOneLine } from "@fairlead/api";
import type { Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { table } from "../../render/text-layout.ts";
import type { CliContext } from "../../cli-context.ts";
import { sessionArgument, type CommandRunner } from "../command-runner.ts";

export function addFiles(program: Command, run: CommandRunner): void {
  program
    .command("files")
    .summary("List the files that changed in a session.")
    .description(
      "List the files that changed in a session: what the agent reported, and what Fairlead found when it compared the workspace, by room if fairlead.yaml has rooms. `diff` shows what changed in them.",
    )
    .argument(...sessionArgument)
    .option("--json", "print one JSON value per file")
    .addHelpText("after", "\nExample:\n  fairlead files 54tq")
    .action((sessionRef: string, { json = false }: { json?: boolean }) =>
      run((context) => files(context, sessionRef, json)),
    );
}

async function files(context: CliContext, sessionRef: string, json: boolean): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const changedFiles = await fairlead.files(sessionRef);
  if (json) for (const file of changedFiles) screen.json(file);
  else {
    // The files of a room stay together.
    const rows = changedFiles.toSorted((one, other) => (one.room ?? "").localeCompare(other.room ?? ""));
    const hasRooms = changedFiles.some(({ room }) => room !== undefined);
    const cells = rows.map((file) => [
      ...(hasRooms ? [file.room ?? "-"] : []),
      file.change,
      toOneLine(file.path),
      originOf(file),
    ]);
    for (const line of table(cells)) screen.line(line);
    if (changedFiles.length === 0) screen.line("No file has changed, as far as Fairlead knows.");
  }
  return cliExitCodes.success;
}

/** Says who may have changed a file, if it was not the agent's own report. */
function originOf({ source, attribution, discarded }: FileView): string {
  if (discarded) return "(discarded by the sandbox)";
  if (source !== "observed") return "";
  return attribution === "unknown" ? "(maybe by another program)" : "(observed)";
}

import type { Fairlead } from "@fairlead/api";
import { FairleadError, type EventOf } from "@fairlead/contract";
import type { Command } from "commander";
import { formatError } from "../../format-error.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { endedLine } from "../../render/session-lines.ts";
import type { CliContext } from "../../cli-context.ts";
import type { CommandRunner } from "../command-runner.ts";

export function addStop(program: Command, run: CommandRunner): void {
  program
    .command("stop")
    .summary("Stop sessions.")
    .description(
      "Stop sessions and every process that they started. Their events are kept; `resume` continues the conversation.",
    )
    .argument("<session...>", "names, ids, or beginnings of ids")
    .option("--json", "print one JSON value per session")
    .addHelpText("after", "\nExample:\n  fairlead stop 54tq 9xk0")
    .action((sessionRefs: string[], { json = false }: { json?: boolean }) =>
      run((context) => stopAll(context, sessionRefs, json)),
    );
}

async function stopAll(context: CliContext, sessionRefs: readonly string[], json: boolean): Promise<number> {
  const { screen, environment } = context;
  await using fairlead = await openFairlead(context);
  let exitCode: number = cliExitCodes.success;
  for (const sessionRef of sessionRefs) {
    try {
      const { session: id, state } = await fairlead.session(sessionRef);
      const already = state === "ended";
      const ended = await stop(fairlead, id);
      if (json) screen.json({ session: id, already, reason: ended.reason, exit: ended.exit });
      else screen.line(`${id}  ${already ? "Already ended: " : ""}${endedLine(ended)}`);
    } catch (error) {
      const formatted = formatError(error, { debug: Boolean(environment["FAIRLEAD_DEBUG"]), session: sessionRef });
      if (json) screen.printJsonError(formatted.json);
      else screen.printError(formatted.text);
      exitCode = formatted.exitCode;
    }
  }
  return exitCode;
}

/** Stops a session unless it has ended. Returns its last event. */
async function stop(fairlead: Fairlead, id: string): Promise<EventOf<"session.ended">> {
  const { last } = await fairlead.stop(id);
  for await (const item of fairlead.events(id, { after: last - 1 })) {
    if ("body" in item && item.body.type === "session.ended") return item.body;
  }
  throw new FairleadError("unavailable", `The end of ${id} is not in the journal. See: fairlead logs ${id}`);
}

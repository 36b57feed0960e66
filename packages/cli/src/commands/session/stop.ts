import type { Fairlead, SessionView } from "@fairlead/api";
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
      "Stop sessions, every process that they started, and the sessions that their agents started. Their events are kept; `resume` continues the conversation.",
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
      const before = await fairlead.session(sessionRef);
      const { session: id } = before;
      const already = before.state === "ended";
      const { reason, exit, returned } = await stop(fairlead, before);
      if (json) screen.json({ session: id, already, reason, exit, returned });
      else screen.line(`${id}  ${already ? "Already ended: " : ""}${endedLine({ reason, exit })}${hint(id, returned)}`);
    } catch (error) {
      const formatted = formatError(error, { debug: Boolean(environment["FAIRLEAD_DEBUG"]), session: sessionRef });
      if (json) screen.printJsonError(formatted.json);
      else screen.printError(formatted.text);
      exitCode = formatted.exitCode;
    }
  }
  return exitCode;
}

/** How a session ended, and how many of its queued messages the stop returned. */
type Ending = Pick<EventOf<"session.ended">, "reason" | "exit"> & { readonly returned: number };

/** Stops a session unless it has ended. */
async function stop(fairlead: Fairlead, { session: id, state, last }: SessionView): Promise<Ending> {
  const { reason, problem } = await fairlead.stop(id);
  // A journal that is damaged cannot be read, but the session was stopped.
  if (problem !== null && reason !== null) return { reason: reason as Ending["reason"], exit: null, returned: 0 };
  let returned = 0;
  for await (const item of fairlead.events(id, { after: Math.max(0, state === "ended" ? last - 1 : last) })) {
    if (!("body" in item)) continue;
    if (item.body.type === "message.returned") returned += 1;
    if (item.body.type === "session.ended") return { reason: item.body.reason, exit: item.body.exit, returned };
  }
  throw new FairleadError("unavailable", `The end of ${id} is not in the journal. See: fairlead logs ${id}`);
}

function hint(id: string, returned: number): string {
  if (returned === 0) return "";
  const messages = returned === 1 ? "1 queued message was" : `${returned} queued messages were`;
  return ` ${messages} not processed: fairlead logs ${id}`;
}

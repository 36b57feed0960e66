import type { Fairlead } from "@fairlead/api";
import { FairleadError, type EventOf } from "@fairlead/contract";
import type { Command } from "commander";
import { complaintOf } from "../complaint.ts";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import { endedLine } from "../render/session-lines.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Run } from "./run-command.ts";

export function addStop(program: Command, run: Run): void {
  program
    .command("stop")
    .summary("end sessions")
    .description("Ends sessions and every process that they started. What was said stays; `resume` can continue it.")
    .argument("<session...>", "their names, ids, or beginnings of ids")
    .option("--json", "one JSON value a session")
    .addHelpText("after", "\nExample:\n  fairlead stop 54tq 9xk0")
    .action((ids: string[], { json = false }: { json?: boolean }) =>
      run((surroundings) => stopAll(surroundings, ids, json)),
    );
}

async function stopAll(surroundings: Surroundings, ids: readonly string[], json: boolean): Promise<number> {
  const { screen, environment } = surroundings;
  await using fairlead = await openFairlead(surroundings);
  let exitCode: number = exitCodes.done;
  for (const named of ids) {
    try {
      const { session: id, state } = await fairlead.session(named);
      const already = state === "ended";
      const ended = await stop(fairlead, id);
      if (json) screen.json({ session: id, already, reason: ended.reason, exit: ended.exit });
      else screen.line(`${id}  ${already ? "It had ended before. " : ""}${endedLine(ended)}`);
    } catch (error) {
      const complaint = complaintOf(error, Boolean(environment["FAIRLEAD_DEBUG"]));
      screen.show([{ to: "err", text: complaint.text }]);
      exitCode = complaint.exitCode;
    }
  }
  return exitCode;
}

/** Ends a session, unless it has ended, and gives its last event. */
async function stop(fairlead: Fairlead, id: string): Promise<EventOf<"session.ended">> {
  const { last } = await fairlead.stop(id);
  for await (const item of fairlead.events(id, { after: last - 1 })) {
    if ("body" in item && item.body.type === "session.ended") return item.body;
  }
  throw new FairleadError("unavailable", `Nobody saw how ${id} ended.`);
}

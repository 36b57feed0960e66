import { FairleadError, type EventOf } from "@fairlead/contract";
import type { Runtime } from "@fairlead/runtime";
import type { Command } from "commander";
import { complaintOf } from "../complaint.ts";
import { exitCodes } from "../exit-codes.ts";
import { endedLine } from "../render/session-lines.ts";
import { openRuntime, type Surroundings } from "../surroundings.ts";
import type { Run } from "./run-command.ts";

export function addStop(program: Command, run: Run): void {
  program
    .command("stop")
    .summary("end sessions")
    .description("Ends sessions and every process that they started. What was said stays; `resume` can continue it.")
    .argument("<id...>", "the sessions; the beginning of an id will do")
    .option("--json", "one JSON value a session")
    .addHelpText("after", "\nExample:\n  fairlead stop 54tq 9xk0")
    .action((ids: string[], { json = false }: { json?: boolean }) =>
      run((surroundings) => stopAll(surroundings, ids, json)),
    );
}

async function stopAll(surroundings: Surroundings, ids: readonly string[], json: boolean): Promise<number> {
  const { screen, environment } = surroundings;
  await using runtime = await openRuntime(surroundings);
  let exitCode: number = exitCodes.done;
  for (const prefix of ids) {
    try {
      const id = await runtime.find(prefix);
      const { ended, already } = await stop(runtime, id);
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

/** Ends a session, unless it has ended, and waits for its last event. */
async function stop(runtime: Runtime, id: string): Promise<{ ended: EventOf<"session.ended">; already: boolean }> {
  for await (const { body } of runtime.events(id, 0)) {
    if (body.type === "session.ended") return { ended: body, already: true };
  }
  await using session = await runtime.attach(id);
  const already = session.state.ledger.over;
  if (!already) {
    await session.end().catch((error: unknown) => {
      if (!FairleadError.is(error, "session-ended")) throw error;
    });
  }
  for await (const item of session.stream()) {
    if ("body" in item && item.body.type === "session.ended") return { ended: item.body, already };
  }
  throw new FairleadError("unavailable", `Nobody saw how ${id} ended.`);
}

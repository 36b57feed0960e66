import { CommanderError } from "commander";
import { complaintOf } from "./complaint.ts";
import { exitCodes } from "./exit-codes.ts";
import { createProgram } from "./program.ts";
import type { Surroundings } from "./surroundings.ts";

/** Does what a command line says and gives the exit code. It never throws. */
export async function runCli(words: readonly string[], surroundings: Surroundings): Promise<number> {
  let exitCode: number = exitCodes.done;
  const program = createProgram(async (command) => {
    exitCode = await command(surroundings);
  });
  try {
    await program.parseAsync(words, { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has said what it had to say; for help and version it throws with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUse;
    const complaint = complaintOf(error, Boolean(surroundings.environment["FAIRLEAD_DEBUG"]));
    surroundings.screen.show([{ to: "err", text: complaint.text }]);
    return complaint.exitCode;
  }
}

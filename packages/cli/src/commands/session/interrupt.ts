import { type Fairlead, formatDuration } from "@fairlead/api";
import { FairleadError, startTimer } from "@fairlead/contract";
import type { Command } from "commander";
import { parseDuration } from "../../arguments/parse-options.ts";
import type { CliContext } from "../../cli-context.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { sessionArgument, type CommandRunner } from "../command-runner.ts";
import { nameEndedSession } from "../name-ended-session.ts";

/** Milliseconds after which the command says that the agent has not ended the turn. */
const hintDelay = 5000;

interface InterruptOptions {
  readonly timeout?: number;
  readonly json?: boolean;
}

export function addInterrupt(program: Command, run: CommandRunner): void {
  program
    .command("interrupt")
    .summary("Interrupt a turn.")
    .description(
      "Interrupt the open turn, and wait until the agent has ended it. The session continues: its next queued message starts, or it waits for a message.",
    )
    .argument(...sessionArgument)
    .option(
      "--timeout <time>",
      "fail if the agent has not ended the turn after this time, such as 90s or 10m",
      parseDuration,
    )
    .option("--json", "print the session as one JSON value")
    .addHelpText("after", "\nExamples:\n  fairlead interrupt 54tq\n  fairlead interrupt 54tq --timeout 10s")
    .action((sessionRef: string, options: InterruptOptions) =>
      run((context) => interrupt(context, sessionRef, options)),
    );
}

async function interrupt(
  context: CliContext,
  sessionRef: string,
  { timeout, json }: InterruptOptions,
): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const warn = (message: string): void => screen.warn(message);
  const { session, outcome } = await interruptTurn(fairlead, sessionRef, warn, timeout);
  const view = await fairlead.session(session);
  if (json) screen.json(view);
  else screen.message(`The turn ended: ${outcome}. ${session} is ${view.state}.`);
  return cliExitCodes.success;
}

/**
 * Interrupts the open turn and waits for its end. Calls `warn` if that takes long, and throws `timed-out` after the
 * timeout: an agent that is suspended or hangs does not end its turn.
 */
export async function interruptTurn(
  fairlead: Pick<Fairlead, "session" | "interrupt" | "events">,
  sessionRef: string,
  warn: (message: string) => void,
  timeout?: number,
): Promise<{ session: string; outcome: string }> {
  const { session, last } = await fairlead.session(sessionRef);
  const nextStep = `End its process with: fairlead pause ${session}, or the session with: fairlead stop ${session}`;
  using _hint = startTimer(hintDelay, () => warn(`The agent has not ended the turn yet. ${nextStep}`));
  const waiting = new AbortController();
  using _timer = timeout === undefined ? undefined : startTimer(timeout, () => waiting.abort());
  const limit = formatDuration(timeout ?? 0);
  // A keeper that does not respond delays the answer to the interrupt itself.
  const unanswered = new Promise<never>((_, reject) => {
    const message = `The session has not accepted the interrupt after ${limit}. It may do so later. ${nextStep}`;
    waiting.signal.addEventListener("abort", () => reject(new FairleadError("timed-out", message)));
  });
  const interrupting = nameEndedSession(fairlead, session, fairlead.interrupt(session));
  const { turn } = await Promise.race([interrupting, unanswered]);
  for await (const item of fairlead.events(session, { after: last, follow: true, signal: waiting.signal })) {
    // The turn of before may have ended, and the next one started, before the interrupt.
    if ("body" in item && item.body.type === "turn.ended" && item.body.turn === turn)
      return { session, outcome: item.body.outcome };
  }
  if (!waiting.signal.aborted) return { session, outcome: "unknown" };
  const message = `The agent has not ended the turn after ${limit}. The interrupt stays in effect. ${nextStep}`;
  throw new FairleadError("timed-out", message);
}

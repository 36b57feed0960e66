import { type Fairlead, sanitizeText } from "@fairlead/api";
import { takeTerminal } from "@fairlead/client";
import { FairleadError } from "@fairlead/contract";
import type { Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { CliContext } from "../../cli-context.ts";
import { connectTerminals, terminalSizeOf } from "../../terminal/connect-terminals.ts";
import { UsageError } from "../../usage-error.ts";
import { sessionArgument, type CommandRunner } from "../command-runner.ts";

export function addAttach(program: Command, run: CommandRunner): void {
  program
    .command("attach")
    .summary("Take a session over in the agent's own terminal.")
    .description(
      "Take a session over: open the agent's own terminal on its conversation. This interrupts a running turn. When you detach, the agent leads again and knows what was said. What was said and done is in logs, files and usage afterwards, if the agent's terminal can be recorded; otherwise this command says so.",
    )
    .argument(...sessionArgument)
    .addHelpText(
      "after",
      "\nExample:\n  fairlead attach 54tq\n\nPress Ctrl-\\ to detach and return the lead to the agent.",
    )
    .action((sessionRef: string) => run((context) => attach(context, sessionRef)));
}

async function attach(context: CliContext, sessionRef: string): Promise<number> {
  const { screen, input: stdin, output: stdout, isInteractive } = context;
  if (!isInteractive)
    throw new UsageError("attach needs a terminal as its input and output.", `fairlead logs -f ${sessionRef}`);
  await using fairlead = await openFairlead(context);
  const view = await fairlead.session(sessionRef);
  const { session } = view;
  const closing = new AbortController();
  // Also if the take-over is refused: the stream of the screen, which was opened first, would keep this process running.
  using _screen = { [Symbol.dispose]: () => closing.abort() };
  const terminal = await takeTerminal(fairlead, view, terminalSizeOf(stdout), closing.signal);
  // Printed before the terminal draws its screen.
  const beforehand = await readWarnings(fairlead, session, view.last);
  if (view.lead === "human" && !view.capabilities.includes("recorded-take-over")) beforehand.messages.push(notRecorded);
  for (const message of beforehand.messages) screen.message(message);
  const outcome = await connectTerminals(terminal, { stdin, stdout });
  closing.abort();
  if (outcome === "detached") await handBack(fairlead, session);
  const { state, reason } = await fairlead.session(session);
  if (state === "ended") {
    screen.message(`${session} has ended (${reason}). Continue its conversation with: fairlead resume ${session} "…"`);
    return cliExitCodes.failed;
  }
  for (const message of (await readWarnings(fairlead, session, beforehand.last)).messages) screen.message(message);
  screen.message(`The agent leads again. Continue with: fairlead resume ${session} "…"`);
  return cliExitCodes.success;
}

const notRecorded = "What is said and done in the agent's own terminal is not recorded.";

/** Reads the warnings after a sequence. Among them is what could not be recorded of the agent's own terminal. */
async function readWarnings(
  fairlead: Fairlead,
  session: string,
  after: number,
): Promise<{ messages: string[]; last: number }> {
  const messages: string[] = [];
  let last = after;
  for await (const item of fairlead.events(session, { after })) {
    if (!("body" in item)) continue;
    last = item.sequence;
    if (item.body.type === "status.reported" && item.body.level === "warning")
      messages.push(sanitizeText(item.body.message).trimEnd());
  }
  return { messages, last };
}

/** Returns the lead. The session may have been stopped, or handed back elsewhere, at the same moment. */
async function handBack(fairlead: Fairlead, session: string): Promise<void> {
  try {
    await fairlead.handBack(session);
  } catch (error) {
    if (!FairleadError.is(error, "session-ended") && !FairleadError.is(error, "not-taken-over")) throw error;
  }
}

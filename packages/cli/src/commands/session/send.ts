import type { Command } from "commander";
import { deliverMessage } from "../../interactive/deliver-message.ts";
import { FollowedSession } from "../../interactive/followed-session.ts";
import { readPrompt } from "../../interactive/message-source.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { CliContext } from "../../cli-context.ts";
import { UsageError } from "../../usage-error.ts";
import { sessionArgument, type CommandRunner } from "../command-runner.ts";
import { nameEndedSession } from "../name-ended-session.ts";

export function addSend(program: Command, run: CommandRunner): void {
  program
    .command("send")
    .summary("Send a message to an agent and return.")
    .description(
      "Send a message. If a turn is running, the message is queued until the turn ends; `steer` adds it to that turn. A paused session is resumed: the messages that the pause kept start first.",
    )
    .argument(...sessionArgument)
    .argument("[message...]", "message to the agent (default: read from a pipe)")
    .option("--json", "print one JSON value")
    .addHelpText("after", '\nExample:\n  fairlead send 54tq "and now the tests"')
    .action((sessionRef: string, words: string[], { json = false }: { json?: boolean }) =>
      run((context) => send(context, sessionRef, words, json)),
    );
}

async function send(context: CliContext, sessionRef: string, words: readonly string[], json: boolean): Promise<number> {
  const { screen } = context;
  const message = await readPrompt(words, context);
  await using fairlead = await openFairlead(context);
  if (message === null) throw new UsageError("The message is missing.", `fairlead send ${sessionRef} "…"`);
  const before = await fairlead.session(sessionRef);
  const session = await FollowedSession.open(fairlead, before);
  // Returns only after the journal has the turn or its place in the queue, so that the next command sees it.
  const { turn, isQueued } = await nameEndedSession(fairlead, session.id, deliverMessage(session, message));
  const isResumed = before.state === "paused";
  const ahead = isResumed ? before.queued : 0;
  if (json) screen.json({ session: session.id, turn, queued: isQueued, resumed: isResumed, ahead });
  else {
    if (isResumed) screen.line(`Resumed ${session.id}.${describeAhead(ahead)}`);
    screen.line(isQueued ? `Queued for ${session.id} until its turn ends.` : `Sent to ${session.id}.`);
    screen.printHint(`Follow with: fairlead logs -f ${session.id}`);
  }
  return cliExitCodes.success;
}

/** Says how many messages that a pause kept start before the new one. */
function describeAhead(count: number): string {
  if (count === 0) return "";
  return count === 1 ? " 1 message that the pause kept is ahead." : ` ${count} messages that the pause kept are ahead.`;
}

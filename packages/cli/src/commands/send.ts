import type { Command } from "commander";
import { FollowedSession } from "../conversation/followed-session.ts";
import { promptOf } from "../conversation/prompt-of.ts";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import type { Surroundings } from "../surroundings.ts";
import { WrongUse } from "../wrong-use.ts";
import type { Run } from "./run-command.ts";
import { sessionArgument } from "./session-argument.ts";

export function addSend(program: Command, run: Run): void {
  program
    .command("send")
    .summary("say something to an agent, and leave")
    .description("Sends a message. While a turn is going on, it waits for its turn; `steer` says it into that one.")
    .argument(...sessionArgument)
    .argument("[message...]", "what to say; without it, what comes in on a pipe")
    .option("--json", "one JSON value")
    .addHelpText("after", '\nExample:\n  fairlead send 54tq "and now the tests"')
    .action((named: string, words: string[], { json = false }: { json?: boolean }) =>
      run((surroundings) => send(surroundings, named, words, json)),
    );
}

async function send(
  surroundings: Surroundings,
  named: string,
  words: readonly string[],
  json: boolean,
): Promise<number> {
  const { screen } = surroundings;
  await using fairlead = await openFairlead(surroundings);
  const text = await promptOf(words, surroundings);
  if (text === null) throw new WrongUse("There is no message.", `fairlead send ${named} "…"`);
  const session = await FollowedSession.open(fairlead, await fairlead.session(named));
  const isBusy = session.turn !== null;
  const turn = await session.send(text);
  // Whoever looks next must find it at work; one that is busy is that already.
  if (!isBusy) {
    for await (const _ of session.stream(session.last)) if (session.hasBegun(turn) || session.state === "ended") break;
  }
  if (json) screen.json({ session: session.id, turn });
  else {
    screen.line(isBusy ? `${session.id} will be told after this turn.` : `${session.id} was told.`);
    screen.aside(`fairlead logs -f ${session.id} looks on.`);
  }
  return exitCodes.done;
}

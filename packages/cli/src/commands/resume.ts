import type { SessionView } from "@fairlead/api";
import type { Command } from "commander";
import { FollowedSession } from "../conversation/followed-session.ts";
import { Interrupts } from "../conversation/interrupts.ts";
import { leave } from "../conversation/leave.ts";
import { promptOf } from "../conversation/prompt-of.ts";
import { talk } from "../conversation/talk.ts";
import { openFairlead } from "../open-fairlead.ts";
import type { Surroundings } from "../surroundings.ts";
import { WrongUse } from "../wrong-use.ts";
import type { Run } from "./run-command.ts";
import { sessionArgument } from "./session-argument.ts";

export interface ResumeOptions {
  readonly detach?: boolean;
  readonly rebuild?: boolean;
  readonly fresh?: boolean;
  readonly json?: boolean;
}

export function addResume(program: Command, run: Run): void {
  program
    .command("resume")
    .summary("go on with a session")
    .description("Goes on with a session: comes back to a running one, resumes a paused one, continues an ended one.")
    .argument(...sessionArgument)
    .argument("[prompt...]", "what to say to it")
    .option("--rebuild", "start anew, and tell the agent what was said before: it need not remember")
    .option("--fresh", "start anew, without any of what was said before")
    .option("-d, --detach", "print the session's id and leave it running")
    .option("--json", "events and deltas, one JSON value a line")
    .addHelpText("after", help)
    .action((id: string, words: string[], options: ResumeOptions) =>
      run((surroundings) => resume(surroundings, id, words, options)),
    );
}

async function resume(
  surroundings: Surroundings,
  named: string,
  words: readonly string[],
  options: ResumeOptions,
): Promise<number> {
  using interrupts = new Interrupts();
  await using fairlead = await openFairlead(surroundings);
  const before = await fairlead.session(named);
  const prompt = await promptOf(words, surroundings);
  const json = options.json === true;
  const busy = !["idle", "paused", "ended", "lost"].includes(before.state);
  if (prompt === null && (options.detach || (!busy && (json || !surroundings.attended)))) {
    throw new WrongUse("There is no prompt.", `fairlead resume ${before.session} "…"`);
  }
  const outcome = options.fresh ? "fresh" : options.rebuild ? "rebuilt" : "native";
  const view = await fairlead.resume(before.session, { outcome });
  const session = await FollowedSession.open(fairlead, view);
  if (options.detach && prompt !== null) return await leave(surroundings, session, prompt, json);
  if (!json) surroundings.screen.aside(saying(before, view));
  return await talk(surroundings, { session, view, after: session.whereToBegin, prompt, json, interrupts });
}

function saying({ session, state, reason }: SessionView, now: SessionView): string {
  if (now.session !== session) {
    return `${session} has ended (${reason ?? "lost"}); ${now.session} continues its conversation.`;
  }
  return state === "paused" ? `Resumed ${session}.` : `Attached to ${session}, which is ${state}.`;
}

const help = `
Examples:
  fairlead resume 54tq "and now the tests"
  fairlead resume 54tq`;

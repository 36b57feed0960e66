import { isOpen, type Event } from "@fairlead/contract";
import type { Runtime, Session, Summary } from "@fairlead/runtime";
import type { Command } from "commander";
import { Interrupts } from "../conversation/interrupts.ts";
import { leave } from "../conversation/leave.ts";
import { promptOf } from "../conversation/prompt-of.ts";
import { talk } from "../conversation/talk.ts";
import { openRuntime, type Surroundings } from "../surroundings.ts";
import { WrongUse } from "../wrong-use.ts";
import type { Run } from "./run-command.ts";

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
    .argument("<id>", "the session; the beginning of its id will do")
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
  prefix: string,
  words: readonly string[],
  options: ResumeOptions,
): Promise<number> {
  using interrupts = new Interrupts();
  await using runtime = await openRuntime(surroundings);
  const id = await runtime.find(prefix);
  const before = await runtime.summary(id);
  const prompt = await promptOf(words, surroundings);
  const json = options.json === true;
  const busy = !["idle", "paused", "ended", "lost"].includes(before.state);
  if (prompt === null && (options.detach || (!busy && (json || !surroundings.attended)))) {
    throw new WrongUse("There is no prompt.", `fairlead resume ${id} "…"`);
  }
  const session = await runtime.resume(id, options.fresh ? "fresh" : options.rebuild ? "rebuilt" : "native");
  if (options.detach && prompt !== null) return await leave(surroundings, session, prompt, json);
  if (!json) surroundings.screen.aside(saying(before, session));
  const after = await whereToBegin(runtime, session);
  return await talk(surroundings, { runtime, session, after, prompt, json, interrupts });
}

function saying({ session: id, state, reason }: Summary, session: Session): string {
  if (session.id !== id) return `${id} has ended (${reason ?? "lost"}); ${session.id} continues its conversation.`;
  return state === "paused" ? `Resumed ${id}.` : `Attached to ${id}, which is ${state}.`;
}

/** A turn that is going on is shown from its start, so that nobody has to guess what was said and asked so far. */
async function whereToBegin(runtime: Runtime, session: Session): Promise<number> {
  if (!isOpen(session.state.ledger, "turn")) return session.last;
  let started: Event | undefined;
  for await (const event of runtime.events(session.id, 0)) if (event.body.type === "turn.started") started = event;
  return started === undefined ? session.last : started.sequence - 1;
}

const help = `
Examples:
  fairlead resume 54tq "and now the tests"
  fairlead resume 54tq`;

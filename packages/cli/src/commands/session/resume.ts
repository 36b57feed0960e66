import type { Fairlead, SessionView } from "@fairlead/api";
import type { SpendingLimits } from "@fairlead/contract";
import { Option, type Command } from "commander";
import { parseLimits } from "../../arguments/parse-limits.ts";
import { FollowedSession } from "../../interactive/followed-session.ts";
import { InterruptHandler } from "../../interactive/interrupt-handler.ts";
import { sendAndDetach } from "../../interactive/send-and-detach.ts";
import { readPrompt } from "../../interactive/message-source.ts";
import { runInteractive } from "../../interactive/run-interactive.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { CliContext } from "../../cli-context.ts";
import { UsageError } from "../../usage-error.ts";
import { sessionArgument, type CommandRunner } from "../command-runner.ts";

export interface ResumeCommandOptions {
  readonly detach?: boolean;
  readonly rebuild?: boolean;
  readonly fresh?: boolean;
  readonly limit?: SpendingLimits;
  readonly json?: boolean;
}

export function addResume(program: Command, run: CommandRunner): void {
  program
    .command("resume")
    .summary("Continue a session.")
    .description(
      "Continue a session: attach to a running one, resume a paused one, or start one that continues an ended one. Messages that a pause kept start first. With --rebuild or --fresh, a paused or idle session without such messages is stopped, and a new one starts.",
    )
    .argument(...sessionArgument)
    .argument("[prompt...]", "message to the agent")
    .addOption(
      new Option("--rebuild", "start a new process and give it the history from the journal").conflicts("fresh"),
    )
    .option("--fresh", "start a new process without history")
    .option("--limit <limits>", "change limits of the session: 2usd,400k,30m", parseLimits)
    .option("-d, --detach", "print the session's id and leave the session running")
    .option("--json", "print events and deltas, one JSON value per line")
    .addHelpText("after", help)
    .action((sessionRef: string, words: string[], options: ResumeCommandOptions) =>
      run((context) => resume(context, sessionRef, words, options)),
    );
}

async function resume(
  context: CliContext,
  sessionRef: string,
  words: readonly string[],
  options: ResumeCommandOptions,
): Promise<number> {
  using interrupts = new InterruptHandler();
  await using fairlead = await openFairlead(context);
  const before = await fairlead.session(sessionRef);
  const prompt = await readPrompt(words, context);
  const json = options.json === true;
  const { limit } = options;
  // The messages that a pause kept start with the resume.
  const isBusy = before.queued > 0 || !["idle", "paused", "ended", "lost", "damaged"].includes(before.state);
  const canFollow = isBusy || (context.isInteractive && !json);
  // A paused session can be resumed without a message, and a busy one can be left as it is.
  const canLeave = isBusy || before.state === "paused" || limit !== undefined;
  // To change a limit, no message is needed.
  const onlyChangesLimit = prompt === null && limit !== undefined && !canFollow && !options.detach;
  if (prompt === null && !onlyChangesLimit && !(options.detach ? canLeave : canFollow)) {
    throw new UsageError("The prompt is missing.", `fairlead resume ${before.session} "…"`);
  }
  const outcome = options.fresh ? "fresh" : options.rebuild ? "rebuilt" : "native";
  if (outcome !== "native" && before.queued > 0) {
    const messages = before.queued === 1 ? "1 queued message" : `${before.queued} queued messages`;
    throw new UsageError(
      `${before.session} keeps ${messages}, which only this session can process. To drop them, stop it first.`,
      `fairlead resume ${before.session}`,
    );
  }
  const view = await fairlead.resume(before.session, { outcome, ...(limit && { limits: limit }) });
  const session = await FollowedSession.open(fairlead, view);
  if (onlyChangesLimit && !json) {
    context.screen.message(`The limit was changed. Continue with: fairlead resume ${view.session} "…"`);
    return cliExitCodes.success;
  }
  if (options.detach || onlyChangesLimit) return await sendAndDetach(context, session, prompt, json);
  if (!json)
    context.screen.printHint(`${describeResume(before, view, outcome)}${await describeName(fairlead, before, view)}`);
  return await runInteractive(context, {
    session,
    view,
    after: session.displayAfter,
    message: prompt,
    json,
    interrupts,
  });
}

function describeResume(
  { session, state, reason, lastOutcome }: SessionView,
  after: SessionView,
  outcome: "fresh" | "rebuilt" | "native",
): string {
  if (after.session !== session) {
    // A session that had not ended was stopped, so that only one of the two is open.
    const ended = `${session} ${state === "ended" ? "has ended" : "was stopped"}${reason === null ? "" : ` (${reason})`}. `;
    if (outcome === "fresh") return `${ended}Started ${after.session} without the history of ${session}.`;
    if (outcome === "rebuilt")
      return `${ended}Started ${after.session} with the history of ${session} rebuilt from the journal.`;
    return `${ended}The conversation of ${session} continues in ${after.session}.`;
  }
  if (state !== "paused" && state !== "idle") return `Attached to ${session}, which is ${state}.`;
  const lastTurn =
    (lastOutcome ?? "completed") === "completed" ? "" : ` Its last turn ${lastTurnText[lastOutcome ?? ""]}.`;
  return state === "paused" ? `Resumed ${session}.${lastTurn}` : `Attached to ${session}, which is idle.${lastTurn}`;
}

/** An open session keeps its name, also if the session that is continued had the same one. */
async function describeName(fairlead: Fairlead, { name }: SessionView, after: SessionView): Promise<string> {
  if (name === null || after.name === name) return "";
  const { session } = await fairlead.session(name);
  return session === after.session ? "" : ` The name "${name}" belongs to ${session}.`;
}

const lastTurnText: Readonly<Record<string, string>> = {
  failed: "failed",
  interrupted: "was interrupted",
  limited: "was stopped by a limit",
};

const help = `
Examples:
  fairlead resume 54tq "and now the tests"
  fairlead resume 54tq
  fairlead resume 54tq --limit 4usd "continue"`;

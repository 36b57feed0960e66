import { formatDuration } from "@fairlead/api";
import { FairleadError, startTimer } from "@fairlead/contract";
import { Option, type Command } from "commander";
import { FollowedSession } from "../../interactive/followed-session.ts";
import { parseDuration } from "../../arguments/parse-options.ts";
import { exitCodeByOutcome, cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { CliContext } from "../../cli-context.ts";
import { sessionArgument, type CommandRunner } from "../command-runner.ts";

const waitTargets = ["idle", "waiting", "ended"] as const;
type WaitTarget = (typeof waitTargets)[number];

interface WaitOptions {
  readonly for: WaitTarget;
  readonly timeout?: number;
  readonly json?: boolean;
}

export function addWait(program: Command, run: CommandRunner): void {
  program
    .command("wait")
    .summary("Wait until a session is idle, waiting or ended.")
    .description("Wait until a session is idle, waits for an answer, or has ended.")
    .argument(...sessionArgument)
    .addOption(new Option("--for <state>", "state to wait for").choices(waitTargets).default("idle"))
    .option("--timeout <time>", "fail after this time, such as 90s, 10m or 2h", parseDuration)
    .option("--json", "print the session as one JSON value")
    .addHelpText("after", help)
    .action((sessionRef: string, options: WaitOptions) => run((context) => wait(context, sessionRef, options)));
}

async function wait(
  context: CliContext,
  sessionRef: string,
  { for: target, timeout, json }: WaitOptions,
): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const session = await FollowedSession.open(fairlead, await fairlead.session(sessionRef));
  const timeoutAbort = new AbortController();
  using _timer = timeout === undefined ? undefined : startTimer(timeout, () => timeoutAbort.abort());
  if (!hasReached(session, target)) {
    for await (const _ of session.stream(session.lastSequence, timeoutAbort.signal))
      if (hasReached(session, target)) break;
  }
  const { state, id } = session;
  if (!hasReached(session, target))
    throw new FairleadError(
      "timed-out",
      `${id} is still ${state} after ${formatDuration(timeout ?? 0)}. ${nextStep(state, id)}`,
    );
  if (json) screen.json(await fairlead.session(id));
  else if (state === "waiting") screen.message(`${id} is waiting for an answer. ${nextStep(state, id)}`);
  else screen.message(state === "ended" ? `${id} has ended.` : `${id} is ${state}.`);
  if (state === "waiting") return target === "waiting" ? cliExitCodes.success : cliExitCodes.waiting;
  // An ended or idle session asks nothing without a new message.
  if (target === "waiting") return cliExitCodes.failed;
  return session.outcome === null ? cliExitCodes.success : exitCodeByOutcome[session.outcome];
}

/** Says what to type for a session that has not ended. */
function nextStep(state: FollowedSession["state"], id: string): string {
  if (state === "waiting") return `Read what it asks with: fairlead approve ${id} --show`;
  return state === "working" ? `Follow with: fairlead logs -f ${id}` : `Stop with: fairlead stop ${id}`;
}

/** Whether the session has reached the target, or cannot reach it without a new message. */
function hasReached({ state }: FollowedSession, target: WaitTarget): boolean {
  if (state === "ended") return true;
  return target !== "ended" && state !== "working";
}

const help = `
Examples:
  fairlead wait 54tq && git push
  fairlead wait 54tq --for waiting --timeout 10m

Exit codes:
  0, 1, 3, 130  The outcome of the last turn, as for \`run\`.
  4             The session waits for an answer.`;

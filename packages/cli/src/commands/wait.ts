import { FairleadError } from "@fairlead/contract";
import { Option, type Command } from "commander";
import { FollowedSession } from "../conversation/followed-session.ts";
import { durationOf } from "../duration-of.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Run } from "./run-command.ts";
import { sessionArgument } from "./session-argument.ts";

const aims = ["idle", "waiting", "ended"] as const;
type Aim = (typeof aims)[number];

interface WaitOptions {
  readonly for: Aim;
  readonly timeout?: number;
  readonly json?: boolean;
}

export function addWait(program: Command, run: Run): void {
  program
    .command("wait")
    .summary("wait for a session")
    .description("Waits until a session has nothing to do, waits for an answer, or has ended.")
    .argument(...sessionArgument)
    .addOption(new Option("--for <state>", "what to wait for").choices(aims).default("idle"))
    .option("--timeout <time>", "give up after this long: 90s, 10m, 2h", durationOf)
    .option("--json", "the session as one JSON value, once it is so")
    .addHelpText("after", help)
    .action((named: string, options: WaitOptions) => run((surroundings) => wait(surroundings, named, options)));
}

async function wait(
  surroundings: Surroundings,
  named: string,
  { for: aim, timeout, json }: WaitOptions,
): Promise<number> {
  const { screen } = surroundings;
  await using fairlead = await openFairlead(surroundings);
  const session = await FollowedSession.open(fairlead, await fairlead.session(named));
  const enough = new AbortController();
  const timer = timeout === undefined ? undefined : setTimeout(() => enough.abort(), timeout);
  if (!isThere(session, aim)) {
    for await (const _ of session.stream(session.last, enough.signal)) if (isThere(session, aim)) break;
  }
  clearTimeout(timer);
  const { state, id } = session;
  if (!isThere(session, aim)) throw new FairleadError("timed-out", `${id} is still ${state}; waited long enough.`);
  if (json) screen.json(await fairlead.session(id));
  else screen.line(`${id} is ${state}${state === "waiting" ? ` for an answer: fairlead resume ${id}` : ""}.`);
  if (state === "waiting") return aim === "waiting" ? exitCodes.done : exitCodes.waiting;
  // One that has ended or come to rest can no longer come to wait.
  if (aim === "waiting") return exitCodes.failed;
  return session.outcome === null ? exitCodes.done : exitCodeOf[session.outcome];
}

/** Whether that which is waited for has come, or can no longer come by itself. */
function isThere({ state }: FollowedSession, aim: Aim): boolean {
  if (state === "ended") return true;
  return aim !== "ended" && state !== "working";
}

const help = `
Examples:
  fairlead wait 54tq && git push
  fairlead wait 54tq --for waiting --timeout 10m

Exit codes: those of \`run\` for the way in which its last turn ended; 4 if it waits for an answer instead.`;

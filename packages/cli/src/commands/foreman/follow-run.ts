import { setTimeout as pause } from "node:timers/promises";
import {
  type Fairlead,
  type RunEvent,
  type RunEventPage,
  type RunOutcome,
  type RunView,
  toOneLine,
} from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import type { CliContext } from "../../cli-context.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { InterruptHandler } from "../../interactive/interrupt-handler.ts";
import { LiveLines } from "../../render/runs/live-lines.ts";
import { runProblemLines } from "../../render/runs/run-problems.ts";
import { runSentences } from "../../render/runs/run-sentences.ts";
import { runTree } from "../../render/runs/run-tree.ts";

/** Milliseconds that a reply waits for events. The tree shows times, and Ctrl-C is heeded after one reply at the latest. */
const waitForEvents = 2000;
/** Milliseconds between two attempts to reach a daemon that is gone. */
const retryDelay = 1000;
const defaultRows = 24;

type RunReader = Pick<Fairlead, "run" | "runEvents">;

/**
 * Follows a run until it ends, also while the daemon restarts: as a tree that is drawn again in a terminal, as a line for
 * each event otherwise. Ctrl-C ends the following, not the run.
 */
export async function followRun(
  context: Pick<CliContext, "screen" | "output">,
  fairlead: RunReader,
  run: string,
  { json }: { readonly json: boolean },
): Promise<number> {
  const { screen, output } = context;
  const stop = new AbortController();
  using handler = new InterruptHandler();
  handler.listen({ interrupt: () => stop.abort(), detach: () => stop.abort() });
  const live = screen.isTerminal && !json ? new LiveLines(screen) : null;
  const events: RunEvent[] = [];
  let waitingFor = "";
  for (;;) {
    const page = await readPersistently(context, fairlead, run, events.at(-1)?.seq ?? 0, stop.signal);
    if (page === null) break;
    events.push(...page.page.events);
    if (live !== null) {
      const maxRows = (output.rows || defaultRows) - 1;
      const { width, paint } = screen;
      const problems = runProblemLines(events);
      live.draw(runTree(page.view, { now: Date.now(), width, paint, problems, maxRows }), maxRows);
    } else {
      for (const line of formatEvents(events, page.page.events, json)) screen.line(line);
      const wait = describeRequest(page.view);
      if (!json && wait !== waitingFor && wait !== "") screen.line(wait);
      waitingFor = wait;
    }
    if (page.page.ended) return exitCodeOf(page.view.outcome);
  }
  if (!json) screen.printHint(`The run continues. Follow it with: fairlead foreman show ${run} -f`);
  return cliExitCodes.interrupted;
}

/** Reads the next events and the view. Repeats while the daemon cannot be reached. Returns null when the signal aborts. */
async function readPersistently(
  { screen }: Pick<CliContext, "screen">,
  fairlead: RunReader,
  run: string,
  after: number,
  signal: AbortSignal,
): Promise<{ readonly page: RunEventPage; readonly view: RunView } | null> {
  for (let hasWarned = false; !signal.aborted;) {
    try {
      const page = await fairlead.runEvents({ run, after, wait: after === 0 ? 0 : waitForEvents });
      return signal.aborted ? null : { page, view: await fairlead.run(run) };
    } catch (error) {
      if (!FairleadError.is(error, "unavailable")) throw error;
      if (!hasWarned) screen.warn("The daemon cannot be reached. The run continues when it runs again.");
      hasWarned = true;
      await pause(retryDelay, undefined, { signal }).catch(() => {});
    }
  }
  return null;
}

function formatEvents(all: readonly RunEvent[], added: readonly RunEvent[], json: boolean): string[] {
  if (json) return added.map((event) => JSON.stringify(event));
  const sentences = runSentences(all).slice(all.length - added.length);
  return sentences.map(({ at, text }) => `${at.slice(11, 19)}  ${text}`);
}

/** Says what to type if the run or one of its agents waits for a person. */
function describeRequest({ run, decision, parts, reason }: RunView): string {
  if (decision !== null)
    return `Read it with: fairlead approve ${run} --show. Approve it with: fairlead approve ${run}`;
  return parts.some(({ state }) => state === "asks you") ? toOneLine(reason) : "";
}

function exitCodeOf(outcome: RunOutcome | null): number {
  if (outcome === "done" || outcome === "no-op") return cliExitCodes.success;
  return outcome === "canceled" ? cliExitCodes.interrupted : cliExitCodes.failed;
}

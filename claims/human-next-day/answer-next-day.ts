import { ForemanBench } from "@fairlead/testing/foreman/foreman-bench.ts";
import { brief, reviewFile, submitStep, writeStep } from "@fairlead/testing/foreman/scripts.ts";

export interface NextDay {
  readonly outcome: string;
  readonly decision: string;
  readonly pushed: boolean;
}

const run = "run-1";
const hour = 3_600_000;

/** A clock that can be moved, and whose sleepers notice it. */
class MovedClock {
  #offset = 0;
  readonly now = (): number => Date.now() + this.#offset;
  move(milliseconds: number): void {
    this.#offset += milliseconds;
  }
  readonly sleep = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
    const until = this.now() + milliseconds;
    while (this.now() < until) {
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
}

/** Closes everything while a run waits for a person, lets time pass, and opens it again. */
export async function answerNextDay(options: {
  readonly hours: number;
  readonly deadlineHours: number | null;
  readonly answers: boolean;
}): Promise<NextDay> {
  const clock = new MovedClock();
  await using bench = await ForemanBench.open(undefined, { clock });
  const task = brief("Go.", writeStep({ "b.txt": "two\n", ...reviewFile(submitStep("approve")) }));
  const approval = options.deadlineHours === null ? {} : { deadline: options.deadlineHours * hour };
  await bench.start(run, { tasks: [{ id: "write", brief: task }], approval });
  await bench.waitFor(run, "decision.requested");
  await bench.close();
  clock.move(options.hours * hour);
  await bench.reopen({ clock });
  if (options.answers) await bench.approve(run);
  const { outcome } = await bench.result(run);
  const [resolved] = await bench.bodies(run, "decision.resolved");
  return { outcome, decision: resolved?.outcome ?? "none", pushed: bench.remoteGit("for-each-ref") !== "" };
}

import { FairleadError } from "@fairlead/contract";
import type { Journal } from "@fairlead/journal";
import { KeyedMutex } from "@fairlead/runtime";
import { assertRunId, unknownRun, unknownWorkflow } from "../workflows/run-id.ts";
import type { WorkflowClock } from "../workflows/workflow-clock.ts";
import type { Json, WorkflowBodies, WorkflowResult, Workflows } from "../workflows/workflows.ts";
import { abortable } from "./abortable.ts";
import { LocalRun } from "./local-run.ts";
import { foldRecords, type RunHistory } from "./run-history.ts";
import { RunInbox } from "./run-inbox.ts";
import { OwnedRunLog } from "./owned-run-log.ts";
import {
  decodeWorkflowRecords,
  inboxName,
  readNewestRecord,
  readWorkflowRecords,
  runLogName,
  type InboxRecord,
  type RunRecord,
} from "./run-records.ts";
import { appendToSharedLog } from "./shared-log.ts";
import { UnfinishedRuns } from "./unfinished-runs.ts";

export interface LocalWorkflowsParts {
  readonly log: Journal;
  readonly owner: string;
  readonly bodies: WorkflowBodies;
  readonly isOwnerAlive: (owner: string) => boolean;
  readonly clock: WorkflowClock;
  readonly isTransient: (error: unknown) => boolean;
  readonly onError: (error: unknown, run: string) => void;
  /** Closes the log. */
  readonly close: () => Promise<void>;
}

/** Milliseconds between two looks at a run of another process, which may have died. */
const checkInterval = 1000;

/** Runs workflows in this process, over a journal that other processes may use at the same time. */
export class LocalWorkflows implements Workflows {
  readonly #parts: LocalWorkflowsParts;
  readonly #unfinished: UnfinishedRuns;
  readonly #starting = new KeyedMutex();
  readonly #active = new Map<string, LocalRun>();
  readonly #driving = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(parts: LocalWorkflowsParts) {
    this.#parts = parts;
    this.#unfinished = new UnfinishedRuns(parts.log, parts.owner);
  }

  /** Claims the runs that have not ended and whose owner is dead. A run that cannot be read does not hold up the others. */
  async continueAbandonedRuns(): Promise<void> {
    for (const run of await this.#unfinished.read()) {
      try {
        await this.#starting.run(run, () => this.#takeOver(run));
      } catch (error) {
        this.#parts.onError(error, run);
      }
    }
  }

  async start(workflow: string, run: string, input: Json): Promise<void> {
    assertRunId(run);
    if (!Object.hasOwn(this.#parts.bodies, workflow)) throw unknownWorkflow(workflow);
    this.#assertOpen();
    await this.#starting.run(run, () => this.#startOrTakeOver(workflow, run, input));
  }

  async signal(run: string, key: string): Promise<void> {
    await this.#send(run, { type: "signal", key, at: this.#parts.clock.now() });
  }

  async cancel(run: string): Promise<void> {
    await this.#send(run, { type: "cancel", at: this.#parts.clock.now() });
  }

  async result(run: string, signal: AbortSignal = new AbortController().signal): Promise<WorkflowResult> {
    assertRunId(run);
    const ending = AbortSignal.any([signal, this.#closing.signal]);
    for (;;) {
      ending.throwIfAborted();
      const result =
        (await abortable(this.#active.get(run)?.finished ?? Promise.resolve(undefined), ending)) ??
        (await this.#resultOfOther(run, ending));
      if (result !== undefined) return result;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const reason = closedError();
    this.#closing.abort(reason);
    for (const run of this.#active.values()) run.stop(reason);
    await Promise.allSettled(this.#driving);
    await this.#parts.close();
  }

  async #startOrTakeOver(workflow: string, run: string, input: Json): Promise<void> {
    const { log, owner, clock } = this.#parts;
    for (;;) {
      this.#assertOpen();
      const tail = await log.tail(runLogName(run));
      if (tail.last > 0) return await this.#takeOver(run);
      if (tail.epoch > 0 && tail.owner !== owner && this.#parts.isOwnerAlive(tail.owner)) {
        // Another process has claimed the id and is about to write the first record.
        await clock.sleep(1, this.#closing.signal);
        continue;
      }
      // First, so that a run that has started is always found; an id without a run is passed over.
      await this.#unfinished.add(run);
      const runLog = await OwnedRunLog.claim(log, run, owner, tail);
      if (runLog === undefined) continue;
      await runLog.append({ type: "started", workflow, input, at: clock.now() }, clock, this.#closing.signal);
      const nothing = { outcomes: new Map(), sleepEnds: new Map(), wasCanceled: false };
      return await this.#begin(run, runLog, { workflow, input: copyJson(input), ...nothing });
    }
  }

  /** Continues a run if it has not ended and its owner is dead. */
  async #takeOver(run: string): Promise<void> {
    const { log, owner, isOwnerAlive } = this.#parts;
    if (this.#active.has(run) || this.#closing.signal.aborted) return;
    const tail = await log.tail(runLogName(run));
    const newest = await readNewestRecord(log, run);
    if (newest?.type === "ended") return await this.#unfinished.removeIfListed(run);
    if (newest === undefined) return;
    // A run of this engine that is not active was stopped by an error. To try again is safe: no other call does so now.
    if (tail.owner !== owner && isOwnerAlive(tail.owner)) return;
    // If the claim succeeds, the log still ended at the tail, and so these are all its records.
    const history = foldRecords((await readWorkflowRecords(log, runLogName(run), 0)) as RunRecord[]);
    if (history === undefined) return;
    if (!Object.hasOwn(this.#parts.bodies, history.workflow)) {
      // Another version of Fairlead may have the body. This one can still signal, cancel and await the run.
      return this.#parts.onError(unknownWorkflow(history.workflow), run);
    }
    const runLog = await OwnedRunLog.claim(log, run, owner, tail);
    if (runLog === undefined) return;
    await this.#append(run, { type: "claimed", epoch: runLog.epoch });
    await this.#begin(run, runLog, history);
  }

  async #begin(run: string, log: OwnedRunLog, history: RunHistory): Promise<void> {
    const body = this.#parts.bodies[history.workflow];
    if (body === undefined) throw unknownWorkflow(history.workflow);
    const inbox = new RunInbox(this.#parts.log, run);
    await inbox.read();
    if (this.#closing.signal.aborted) return;
    const { clock, isTransient } = this.#parts;
    const active = new LocalRun({ run, body, history, log, inbox, children: this, clock, isTransient });
    this.#active.set(run, active);
    const driving = this.#drive(active);
    this.#driving.add(driving);
    void driving.finally(() => this.#driving.delete(driving));
  }

  async #drive(active: LocalRun): Promise<void> {
    try {
      await active.drive();
      if ((await active.finished) !== undefined) await this.#unfinished.remove(active.run);
    } catch (error) {
      // A fenced run is another process's now. While this engine closes, errors only leave the run to the next one.
      if (!FairleadError.is(error, "fenced") && !this.#closing.signal.aborted) this.#parts.onError(error, active.run);
    } finally {
      this.#active.delete(active.run);
    }
  }

  /** Waits for the end of a run that this process does not run; undefined if this process has taken it over. */
  async #resultOfOther(run: string, signal: AbortSignal): Promise<WorkflowResult | undefined> {
    const { log, clock } = this.#parts;
    const newest = await readNewestRecord(log, run);
    if (newest === undefined) throw unknownRun(run);
    if (newest.type === "ended") return newest.result;
    await this.#starting.run(run, () => this.#takeOver(run));
    if (this.#active.has(run)) return undefined;
    const looking = new AbortController();
    const stopLooking = AbortSignal.any([signal, looking.signal]);
    try {
      const timer = clock.sleep(checkInterval, stopLooking).then(() => undefined);
      return await Promise.race([timer, this.#watchForEnd(run, stopLooking)]);
    } finally {
      looking.abort();
    }
  }

  async #watchForEnd(run: string, signal: AbortSignal): Promise<WorkflowResult | undefined> {
    const { log } = this.#parts;
    const { last } = await log.tail(runLogName(run));
    for await (const batch of log.watch(runLogName(run), Math.max(0, last - 1), signal)) {
      for (const record of decodeWorkflowRecords(batch) as RunRecord[])
        if (record.type === "ended") return record.result;
    }
    return undefined;
  }

  async #send(run: string, record: InboxRecord): Promise<void> {
    assertRunId(run);
    this.#assertOpen();
    const newest = await readNewestRecord(this.#parts.log, run);
    if (newest === undefined) throw unknownRun(run);
    if (newest.type === "ended") return;
    await this.#append(run, record);
    await this.#starting.run(run, () => this.#takeOver(run));
  }

  async #append(run: string, record: InboxRecord): Promise<void> {
    await appendToSharedLog(this.#parts.log, inboxName(run), this.#parts.owner, () => record);
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw closedError();
  }
}

/** The input as a repetition of the body will get it. */
function copyJson(value: Json): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function closedError(): FairleadError {
  return new FairleadError("unavailable", "The workflow engine is closed.");
}

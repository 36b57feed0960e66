import type {
  DecisionView,
  Diff,
  Fairlead,
  RunEvent,
  RunEventBody,
  RunEventPage,
  RunEventQuery,
  RunListQuery,
  RunPage,
  RunRequest,
  RunView,
} from "@fairlead/api";
import { FairleadError, type Answer } from "@fairlead/contract";
import { idFromKey, KeyedMutex, type Home } from "@fairlead/runtime";
import { addCosts } from "./add-costs.ts";
import { addOpenRequests } from "./add-open-requests.ts";
import { RunLog } from "./log/run-log.ts";
import { assignRoles } from "./plan/assign-roles.ts";
import { checkPlan } from "./plan/check-plan.ts";
import { resolvePlan } from "./plan/resolve-plan.ts";
import { approvalSignal } from "./run/request-approval.ts";
import { addChangedFiles, readRunDiff } from "./run-changes.ts";
import { RunViews } from "./run-views.ts";
import type { WorkflowBodies, Workflows } from "./workflows/workflows.ts";

/** What the bodies of the workflows act through. */
export interface ForemanParts {
  readonly fairlead: Fairlead;
  readonly home: Home;
  readonly log: RunLog;
}

export interface ForemanOptions {
  readonly fairlead: Fairlead;
  readonly home: Home;
  /** Creates the bodies of the workflows. The one of a run has the name `run` and gets `{ run }`. */
  readonly createBodies: (parts: ForemanParts) => WorkflowBodies;
  /** Opens the engine that runs the bodies. It continues the runs that an earlier process left. */
  readonly openWorkflows: (bodies: WorkflowBodies) => Promise<Workflows>;
  /** Makes what a run needs before its first event, once or again, and returns the commit that its tasks start from. */
  readonly prepare: (run: string, request: RunRequest) => Promise<{ readonly base: string }>;
  /** The time, in milliseconds since 1970. */
  readonly now?: () => number;
}

/** Who starts, answers or cancels. */
export interface RunCaller {
  /** Names the person in the events. */
  readonly by: string;
}

/** The largest number of events in one page. */
const maxEvents = 1000;
const defaultPageSize = 50;

type DecisionResolved = Extract<RunEventBody, { type: "decision.resolved" }>;

/** Starts runs, shows them, and takes the decisions of people. The work itself is done by the bodies of the workflows. */
export class Foreman implements AsyncDisposable {
  readonly #options: ForemanOptions;
  readonly #log: RunLog;
  readonly #views: RunViews;
  readonly #workflows: Workflows;
  readonly #mutex = new KeyedMutex();
  readonly #closing = new AbortController();

  private constructor(options: ForemanOptions, log: RunLog, workflows: Workflows) {
    this.#options = options;
    this.#log = log;
    this.#views = new RunViews(log);
    this.#workflows = workflows;
  }

  /** Opens the runs of a data directory. Runs that an earlier process left continue. */
  static async open(options: ForemanOptions): Promise<Foreman> {
    const { fairlead, home, createBodies, openWorkflows } = options;
    await using resources = new AsyncDisposableStack();
    const log = resources.use(await RunLog.open(home.runLogFile));
    const workflows = resources.use(await openWorkflows(createBodies({ fairlead, home, log })));
    const foreman = new Foreman(options, log, workflows);
    await foreman.#continueRuns();
    resources.move();
    return foreman;
  }

  /** Starts a run, once per key. Throws `invalid-request` with all problems of the plan. */
  async start(request: RunRequest, { key, by }: RunCaller & { readonly key: string }): Promise<RunView> {
    const run = `run-${idFromKey(key)}`;
    return await this.#mutex.run(run, async () => {
      if (!(await this.#log.has(run))) {
        const agents = await this.#options.fairlead.agents();
        const { problems } = checkPlan(request.plan, agents);
        if (problems.length > 0) throw new FairleadError("invalid-request", problems.join("\n"));
        const plan = resolvePlan(request.plan, assignRoles(request.plan, agents));
        const { base } = await this.#options.prepare(run, { ...request, plan });
        await this.#log.append(run, "started", { type: "run.started", plan, workspace: request.workspace, base, by });
      }
      // After a crash between the two, a repeated command or the next process starts it.
      await this.#workflows.start("run", run, { run });
      return await this.run(run);
    });
  }

  /** Returns a page of runs, newest activity first. Reads only the runs of the page. */
  async runs({ limit = defaultPageSize, cursor }: RunListQuery = {}): Promise<RunPage> {
    const { sessions: all } = await this.#log.changes(null);
    const first = cursor === undefined ? 0 : all.indexOf(cursor) + 1;
    const runs: RunView[] = [];
    let next = first;
    for (; next < all.length && runs.length < limit; next++) {
      const view = await this.#views.readIfIntact(all[next] ?? "");
      if (view !== null) runs.push(await this.#complete(view));
    }
    return { runs, next: next < all.length ? (all[next - 1] ?? null) : null };
  }

  /** Finds the id of a run by its id or a unique beginning of it. Throws `session-not-found`. */
  async resolve(ref: string): Promise<string> {
    if (await this.#log.has(ref)) return ref;
    const { sessions } = await this.#log.changes(null);
    const [match, ...others] =
      ref === "" ? [] : sessions.filter((run) => run.startsWith(ref) || run.startsWith(`run-${ref}`));
    if (others.length > 0) {
      const message = `"${ref}" could be several runs: ${[match, ...others].slice(0, 5).join(", ")}. Write more of the id.`;
      throw new FairleadError("invalid-request", message);
    }
    if (match === undefined || !(await this.#log.has(match))) throw unknownRunError(ref);
    return match;
  }

  async has(run: string): Promise<boolean> {
    return await this.#log.has(run);
  }

  async run(ref: string): Promise<RunView> {
    return await this.#complete(await this.#read(await this.resolve(ref)));
  }

  /** Reads events of a run. With `wait`, waits that many milliseconds for the first one. */
  async events({ run: ref, after = 0, wait = 0 }: RunEventQuery): Promise<RunEventPage> {
    const run = await this.resolve(ref);
    let events = (await this.#log.read(run, after)).slice(0, maxEvents);
    const hasEnded = async (): Promise<boolean> => (await this.#views.read(run))?.outcome != null;
    if (events.length === 0 && wait > 0 && !(await hasEnded())) {
      const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(wait)]);
      for await (const event of this.#log.watch(run, after, signal)) {
        events = [event];
        break;
      }
    }
    const isEnd = ({ body }: RunEvent): boolean => body.type === "run.ended";
    return { events, ended: events.some(isEnd) || (events.length === 0 && (await hasEnded())) };
  }

  /** Cancels a run and its open decision. Does nothing if it has ended. */
  async cancel(ref: string, { by }: RunCaller): Promise<RunView> {
    const run = await this.resolve(ref);
    const { outcome, decision } = await this.#read(run);
    if (outcome === null) {
      // An answer that came first counts: the body finds it in the log.
      if (decision !== null) await this.#resolveDecision(run, decision.decision, { outcome: "canceled", by });
      await this.#workflows.start("run", run, { run });
      await this.#workflows.cancel(run);
    }
    return await this.run(run);
  }

  /** Lists the decisions of all open runs. */
  async decisions(): Promise<DecisionView[]> {
    const { home } = this.#options;
    const views = await Promise.all((await this.#views.listOpen()).map((view) => addChangedFiles(home, view)));
    return views.flatMap(({ decision }) => (decision === null ? [] : [decision]));
  }

  /** Returns the changes of a run that would be, or were, sent for merging. */
  async diff(ref: string): Promise<Diff> {
    const run = await this.resolve(ref);
    return await readRunDiff(this.#options.home, run, await this.#log.read(run));
  }

  /**
   * Answers the decision of a run. The first answer counts. The same answer again does nothing; another one throws
   * `decision-not-open`.
   */
  async answer(run: string, decision: string, answer: Answer, { by }: RunCaller): Promise<void> {
    const { decision: open } = await this.#read(run);
    const wanted = toResolution(answer);
    if (open?.decision !== decision) {
      const earlier = (await this.#log.read(run)).map(({ body }) => body).find(isResolutionOf(decision));
      if (earlier?.outcome !== wanted.outcome) throw notOpen(run, earlier);
      // The process may have ended between the answer and the signal.
      return await this.#workflows.signal(run, approvalSignal);
    }
    if (answer.digest !== undefined && answer.digest !== open.digest) {
      const message = `The open decision of ${run} is not the one that was shown. Nothing was answered.`;
      throw new FairleadError("conflict", message);
    }
    const now = this.#options.now?.() ?? Date.now();
    const isLate = open.deadline !== undefined && Date.parse(open.deadline) <= now;
    const resolution = isLate ? { outcome: "timed-out" as const, by: null } : { ...wanted, by };
    const counted = await this.#resolveDecision(run, decision, resolution);
    await this.#workflows.signal(run, approvalSignal);
    if (counted.outcome !== wanted.outcome) throw notOpen(run, counted);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#workflows[Symbol.asyncDispose]();
    await this.#log[Symbol.asyncDispose]();
  }

  /** Completes what a process that ended has begun: a start, or an answer of which the run was not woken. */
  async #continueRuns(): Promise<void> {
    for (const { run, decision } of await this.#views.listOpen()) {
      await this.#workflows.start("run", run, { run });
      const isResolved = (await this.#log.read(run)).some(({ body }) => body.type === "decision.resolved");
      if (isResolved && decision === null) await this.#workflows.signal(run, approvalSignal);
    }
  }

  /** Adds what only the sessions and the repository of a run know. */
  async #complete(view: RunView): Promise<RunView> {
    const { fairlead, home } = this.#options;
    // Both are kept by the view that was read from the events.
    const [{ decision }, withCosts] = [await addChangedFiles(home, view), await addCosts(fairlead, view)];
    return await addOpenRequests(fairlead, { ...withCosts, decision });
  }

  async #read(run: string): Promise<RunView> {
    const view = await this.#views.read(run);
    if (view === null) throw unknownRunError(run);
    return view;
  }

  async #resolveDecision(
    run: string,
    decision: string,
    resolution: Pick<DecisionResolved, "outcome" | "by" | "message">,
  ): Promise<DecisionResolved> {
    return await this.#log.resolve(run, { type: "decision.resolved", decision, ...resolution });
  }
}

function toResolution(answer: Answer): Pick<DecisionResolved, "outcome" | "message"> {
  if (answer.type === "deny") return { outcome: "denied", ...(answer.message !== "" && { message: answer.message }) };
  if (answer.type === "choose")
    throw new FairleadError("invalid-request", "A run asks for approval, and no question. Allow or deny it.");
  if (answer.input !== undefined || answer.remember !== undefined || answer.option !== undefined)
    throw new FairleadError("invalid-request", "The work of a run is allowed once and as it is.");
  return { outcome: "allowed" };
}

const isResolutionOf =
  (decision: string) =>
  (body: RunEventBody): body is DecisionResolved =>
    body.type === "decision.resolved" && body.decision === decision;

function notOpen(run: string, resolution: DecisionResolved | undefined): FairleadError {
  const reasons = {
    allowed: "it was approved",
    denied: "it was denied",
    canceled: "the run was canceled",
    "timed-out": "its deadline has passed",
  } as const;
  const reason = resolution === undefined ? "" : `: ${reasons[resolution.outcome]}`;
  return new FairleadError("decision-not-open", `The decision of ${run} is not open${reason}.`);
}

function unknownRunError(ref: string): FairleadError {
  return new FairleadError("session-not-found", `There is no run "${ref}". List the runs with: fairlead foreman ls`);
}

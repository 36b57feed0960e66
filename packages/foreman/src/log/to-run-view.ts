import type { DecisionView, RunEvent, RunEventBody, RunPartView, RunView } from "@fairlead/api";
import { FairleadError, requestDigest } from "@fairlead/contract";

type BodyOf<Type extends RunEventBody["type"]> = Extract<RunEventBody, { type: Type }>;

const maxTitleLength = 200;

/** Folds the events of a run. Throws `corrupt` if the first one is missing. */
export function toRunView(events: readonly RunEvent[]): RunView {
  const view = events.reduce<RunView | null>(applyRunEvent, null);
  if (view !== null) return view;
  throw new FairleadError("corrupt", "A run without events has no view.");
}

/** Returns the view after one more event. The given view is not changed, so that views can be kept by their last event. */
export function applyRunEvent(view: RunView | null, { run, at, body }: RunEvent): RunView {
  if (body.type === "run.started") return startView(run, at, body);
  if (view === null) throw new FairleadError("corrupt", `The first event of run ${run} is not its start.`);
  const next = applyBody(view, at, body);
  return { ...next, reason: next.outcome === null ? describeWait(next) : next.reason };
}

function startView(run: string, at: string, { plan, workspace, base }: BodyOf<"run.started">): RunView {
  const view: RunView = {
    run,
    goal: plan.goal,
    workspace,
    base,
    startedAt: at,
    endedAt: null,
    outcome: null,
    reason: "",
    waitingTasks: plan.tasks.map(({ id }) => id),
    parts: [],
    verdict: null,
    decision: null,
    request: null,
    usd: null,
  };
  return { ...view, reason: describeWait(view) };
}

function applyBody(view: RunView, at: string, body: Exclude<RunEventBody, BodyOf<"run.started">>): RunView {
  switch (body.type) {
    case "task.started": {
      const waitingTasks = view.waitingTasks.filter((id) => id !== body.task);
      return { ...view, waitingTasks, parts: [...view.parts, startPart("task", body.task, "building", at, body)] };
    }
    case "join.started":
      return { ...view, parts: [...view.parts, startPart("join", null, "joining", at, body)] };
    case "review.started": {
      // The same session may review several rounds: it stays one part.
      const parts = view.parts.filter(({ kind, session }) => kind !== "review" || session !== body.session);
      const known = view.parts.find(({ kind, session }) => kind === "review" && session === body.session);
      const part = { ...startPart("review", null, "reviewing", at, body), ...(known && { since: known.since }) };
      return { ...view, parts: [...parts, part] };
    }
    case "snapshot.made":
      return changeParts(view, (part) => part.session === body.session, { state: "testing", changes: body.changes });
    case "acceptance.ended": {
      const ofTask = (part: RunPartView) =>
        part.kind === (body.task === null ? "join" : "task") && part.task === body.task;
      return body.passed ? changeParts(view, ofTask, { state: "tested" }) : view;
    }
    case "work.returned":
      return changeParts(view, (part) => part.session === body.session, { state: "returned", endedAt: null });
    case "task.ended": {
      const waitingTasks = view.waitingTasks.filter((id) => id !== body.task);
      return changeParts({ ...view, waitingTasks }, (part) => part.task === body.task, {
        state: body.outcome,
        endedAt: at,
      });
    }
    case "work.joined":
      return changeParts(view, (part) => part.kind === "join" && part.endedAt === null, {
        state: "done",
        endedAt: at,
        changes: body.changes,
      });
    case "verdict.given": {
      const { tree, agent, vendor, verdict, findings } = body;
      const state = verdict === "approve" ? "approved" : "changes";
      const ofReview = (part: RunPartView) => part.kind === "review" && part.session === body.session;
      return {
        ...changeParts(view, ofReview, { state, endedAt: at }),
        verdict: { tree, agent, vendor, verdict, findings },
      };
    }
    case "decision.requested":
      return { ...view, decision: toDecisionView(view, at, body), usd: body.usd };
    case "decision.resolved":
      return view.decision?.decision === body.decision ? { ...view, decision: null } : view;
    case "branch.pushed":
    case "command.started":
      return view;
    case "request.made":
      return { ...view, request: body.address };
    case "run.ended": {
      const { outcome, reason } = body;
      const ended = changeParts(view, (part) => part.endedAt === null, { state: outcome, endedAt: at });
      return { ...ended, outcome, reason, endedAt: at, decision: null };
    }
  }
}

function startPart(
  kind: RunPartView["kind"],
  task: string | null,
  state: string,
  at: string,
  { agent, vendor, session }: { agent: string; vendor: string; session: string },
): RunPartView {
  return { kind, task, agent, vendor, session, state, since: at, endedAt: null, changes: null, usd: null };
}

function changeParts(view: RunView, matches: (part: RunPartView) => boolean, change: Partial<RunPartView>): RunView {
  return { ...view, parts: view.parts.map((part) => (matches(part) ? { ...part, ...change } : part)) };
}

/** Says what an open run waits for. */
function describeWait({ decision, parts, waitingTasks }: RunView): string {
  if (decision !== null) return "A person has to approve it.";
  const open = parts.filter(({ endedAt }) => endedAt === null);
  const reviewer = open.find(({ kind }) => kind === "review");
  if (reviewer !== undefined) return `${reviewer.agent} reviews the work.`;
  const joiner = open.find(({ kind }) => kind === "join");
  if (joiner !== undefined) return `${joiner.agent} resolves a conflict.`;
  if (open.length > 0) return `${open.length === 1 ? "1 task is" : `${open.length} tasks are`} in work.`;
  if (waitingTasks.length > 0)
    return `${waitingTasks.length === 1 ? "1 task waits" : `${waitingTasks.length} tasks wait`}.`;
  return "The foreman is at work.";
}

/** The decision of a run has the form of an agent's request, so that it is listed and answered as all others are. */
function toDecisionView(view: RunView, at: string, body: BodyOf<"decision.requested">): DecisionView {
  const { decision, tree, changes, findings, acceptance, usd, deadline } = body;
  const goal = view.goal.replaceAll(/\s+/g, " ").trim();
  const title = `Send for merging: ${goal.length > maxTitleLength ? `${goal.slice(0, maxTitleLength)}…` : goal}`;
  const commands = acceptance.map(({ command, passed }) => ({ command, passed }));
  const request = {
    decision,
    kind: "approval" as const,
    title,
    input: { goal: view.goal, tree, changes, findings, acceptance: commands, usd },
    ...(deadline !== null && { deadline }),
  };
  return {
    ...request,
    session: view.run,
    agent: "foreman",
    since: at,
    digest: requestDigest(request),
    replaces: false,
  };
}

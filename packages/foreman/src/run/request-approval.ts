import type { CommandResult, ReviewFinding, RunEvent } from "@fairlead/api";
import type { WorkflowContext } from "../workflows/workflows.ts";
import { repositoryOf, type RunDependencies, type RunFacts } from "./run-dependencies.ts";
import { RunEnded } from "./run-ended.ts";
import { listRunSessions } from "./list-run-sessions.ts";
import { sumSpending } from "./spending.ts";

/** The key with which a run is woken when a person has decided. */
export const approvalSignal = "approval";
/** The id of the decision in the log of the run. */
export const approvalDecision = "approval";

/** Milliseconds between two looks into the log, after a signal without a decision. */
const pollDelay = 30_000;

/**
 * Asks a person whether the reviewed tree may be pushed, and waits. The answer is read from the log of the run: the signal
 * only wakes.
 */
export async function requestApproval(
  dependencies: RunDependencies,
  facts: RunFacts,
  context: WorkflowContext,
  { commit, tree }: { readonly commit: string; readonly tree: string },
): Promise<void> {
  const { log, fairlead, now } = dependencies;
  const { run, plan, base } = facts;
  const deadline = await context.step("ask", async ({ key }) => {
    const events = await log.read(run);
    const changes = await repositoryOf(dependencies, run).compare(base, commit);
    const { usd } = await sumSpending(fairlead, listRunSessions(events).agents);
    const until = plan.approval.deadline === undefined ? null : new Date(now() + plan.approval.deadline);
    const requested = await log.append(run, key, {
      type: "decision.requested",
      decision: approvalDecision,
      tree,
      changes,
      findings: findFindings(events, tree),
      acceptance: findAcceptance(events, tree),
      usd,
      deadline: until?.toISOString() ?? null,
    });
    const stored = requested.body.type === "decision.requested" ? requested.body.deadline : null;
    return stored === null ? null : Date.parse(stored);
  });
  let woken = await context.wait(approvalSignal, deadline);
  for (let look = 1; ; look += 1) {
    const isLate = woken === "timed-out";
    const resolved = await context.step(`decision-${look}`, () => readDecision(dependencies, run, isLate));
    if (resolved !== null) return assertApproved(resolved);
    // There was a signal without a decision. An engine may take no second signal, so the log is polled from now on.
    const left = await context.step(`left-${look}`, () =>
      Promise.resolve(deadline === null ? pollDelay : deadline - now()),
    );
    if (left > 0) await context.sleep(`poll-${look}`, Math.min(pollDelay, left));
    woken = left > pollDelay || deadline === null ? "signaled" : "timed-out";
  }
}

type Decided = { readonly outcome: string; readonly by: string | null; readonly message: string };

async function readDecision({ log }: RunDependencies, run: string, isLate: boolean): Promise<Decided | null> {
  const late = { type: "decision.resolved", decision: approvalDecision, outcome: "timed-out", by: null } as const;
  // An answer that came before counts, even if the deadline has passed since.
  if (isLate) await log.resolve(run, late);
  const body = (await log.read(run)).find((event) => event.body.type === "decision.resolved")?.body;
  if (body?.type !== "decision.resolved") return null;
  return { outcome: body.outcome, by: body.by, message: body.message ?? "" };
}

function assertApproved({ outcome, by, message }: Decided): void {
  if (outcome === "allowed") return;
  if (outcome === "timed-out") throw new RunEnded("timed-out", "Nobody decided before the deadline.");
  if (outcome === "canceled") throw new RunEnded("canceled", "A person canceled it.");
  throw new RunEnded("blocked", `${by ?? "A person"} denied it${message === "" ? "." : `: ${message}`}`);
}

function findFindings(events: readonly RunEvent[], tree: string): ReviewFinding[] {
  const body = events.findLast((event) => event.body.type === "verdict.given" && event.body.tree === tree)?.body;
  return body?.type === "verdict.given" ? body.findings : [];
}

function findAcceptance(events: readonly RunEvent[], tree: string): CommandResult[] {
  const body = events.findLast((event) => event.body.type === "acceptance.ended" && event.body.tree === tree)?.body;
  return body?.type === "acceptance.ended" ? body.commands : [];
}

import { FairleadError, type Continuation } from "@fairlead/contract";
import type { Runtime } from "../../runtime.ts";
import type { ContinuationPlanner, SessionResumeOptions } from "../continuation-planner.ts";
import type { Session } from "../session.ts";
import type { NameReservations } from "../start/name-reservations.ts";
import type { SessionStarter } from "../start/session-starter.ts";
import { attachAndResume } from "./attach-and-resume.ts";

interface ResumeParts {
  readonly runtime: Pick<Runtime, "attach" | "start" | "summary">;
  readonly continuations: ContinuationPlanner;
  readonly starter: SessionStarter;
  readonly names: NameReservations;
}

/** Continues a conversation, as `Runtime.resume` says. */
export async function resumeSession(
  { runtime, continuations, starter, names }: ResumeParts,
  session: string,
  outcome: Continuation["outcome"],
  { newId, endSession, limits, approvalsRequired = false }: SessionResumeOptions,
): Promise<Session> {
  const isEnded = async (): Promise<boolean> => (await runtime.summary(session)).state === "ended";
  if (outcome === "native" && !(await isEnded())) {
    const attached = await attachAndResume(() => runtime.attach(session));
    if (!attached.state.ledger.over) return attached;
    await attached[Symbol.asyncDispose]();
  }
  // Planned first, so that a continuation which is refused does not end the session.
  let plan = await continuations.planContinuation(session, outcome, limits);
  if (!(await isEnded())) {
    if (endSession === undefined)
      throw new FairleadError("conflict", `Session ${session} has not ended. End it first, then continue it.`);
    await starter.check(plan);
    await endSession();
    plan = await continuations.planContinuation(session, outcome, limits);
  }
  const { name, ...start } = plan;
  // The new session keeps the name, unless another open session has it: a paused one that it continues, for example.
  const keepsName = name !== undefined && (await names.isFree(name, newId));
  const options = { ...(keepsName && { name }), ...(newId !== undefined && { session: newId }), approvalsRequired };
  return await runtime.start({ ...start, ...options });
}

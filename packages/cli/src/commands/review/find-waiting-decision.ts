import { type DecisionView, type Fairlead, toOneLine } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { callSummary } from "../../render/decision-lines.ts";
import { UsageError } from "../../usage-error.ts";

/** The number of characters of a digest that people are shown. A shorter beginning could be found by trial. */
const shownDigestLength = 12;
const digestPattern = /^[\da-f]{12,64}$/;

export interface FindDecisionOptions {
  readonly sessionRef: string;
  /** The digest of the decision or at least 12 characters of it, its id, or the beginning of its id. */
  readonly decisionRef: string | undefined;
  /** The command that the suggestion names. */
  readonly command: "approve" | "deny" | "answer";
  /** Whether the decision is only shown. */
  readonly onlyShow?: boolean;
}

/**
 * Finds the open decision of a session: the named one, or the only one that the command can answer. Of a decision that
 * replaces another one only the digest is accepted, because the agent chooses the ids.
 */
export async function findWaitingDecision(fairlead: Fairlead, options: FindDecisionOptions): Promise<DecisionView> {
  const { sessionRef, decisionRef, command } = options;
  const { session, waiting } = await findWaitingDecisions(fairlead, sessionRef);
  const found =
    decisionRef === undefined ? answerableDecisions(waiting, command) : matchDecisions(waiting, decisionRef);
  const [first] = found;
  // An answer that comes too late fails in the same way, whether or not the session has other open decisions.
  if (first === undefined) {
    const problem =
      decisionRef === undefined ? missingKind[command] : `has no open decision "${toOneLine(decisionRef)}"`;
    const list = listDecisions(waiting);
    throw new FairleadError(
      "decision-not-open",
      `${session} ${problem}. Open:\n${list}\nAnswer with: ${answerCommand(command, waiting[0])}`,
    );
  }
  const isByDigest = decisionRef !== undefined && digestPattern.test(decisionRef);
  const isReplaced = first.replaces && !isByDigest && options.onlyShow !== true;
  if (found.length === 1 && !isReplaced) return first;
  const list = listDecisions(found.length === 1 ? waiting : found);
  throw new UsageError(
    `${session} ${describeProblem(found.length, decisionRef)}:\n${list}`,
    answerCommand(command, first),
  );
}

/** Finds all open decisions of a session. Throws `decision-not-open` if there is none. */
export async function findWaitingDecisions(
  fairlead: Fairlead,
  sessionRef: string,
): Promise<{ readonly session: string; readonly waiting: readonly [DecisionView, ...DecisionView[]] }> {
  const session = await findSessionOrRun(fairlead, sessionRef);
  const [first, ...others] = (await fairlead.decisions()).filter((one) => one.session === session);
  if (first === undefined) {
    const hint = await findRequestOfAgent(fairlead, session);
    throw new FairleadError(
      "decision-not-open",
      `${session} has no open decision. ${hint ?? "List open decisions with: fairlead status"}`,
    );
  }
  return { session, waiting: [first, ...others] };
}

/** Says which agent of a run asks instead of the run, and how to answer it; null if none does. */
async function findRequestOfAgent(fairlead: Pick<Fairlead, "run">, id: string): Promise<string | null> {
  if (!id.startsWith("run-")) return null;
  const { parts, reason } = await fairlead.run(id);
  return parts.some(({ state }) => state === "asks you") ? reason : null;
}

/** Finds the id of a session or a run. A run is preferred by its whole id: a session may have been given its name. */
export async function findSessionOrRun(fairlead: Pick<Fairlead, "session" | "run">, ref: string): Promise<string> {
  const findRun = async (): Promise<string | null> =>
    await fairlead.run(ref).then(
      ({ run }) => run,
      () => null, // there is none, or the daemon is of an older version
    );
  if (ref.startsWith("run-") && (await findRun()) === ref) return ref;
  try {
    return (await fairlead.session(ref)).session;
  } catch (error) {
    const run = FairleadError.is(error, "session-not-found") ? await findRun() : null;
    if (run !== null) return run;
    throw error;
  }
}

/** The command line that answers a decision. Of a question and an approval, each has its own command. */
export function answerCommand(
  command: FindDecisionOptions["command"],
  decision: Pick<DecisionView, "session" | "kind" | "digest">,
): string {
  const { session, kind } = decision;
  if (command === "deny") return `fairlead deny ${session} ${shortDigest(decision)}`;
  if (kind === "question") return `fairlead answer ${session} --decision ${shortDigest(decision)} "…"`;
  return `fairlead approve ${session} ${shortDigest(decision)}`;
}

/** `approve` answers requests for approval, `answer` questions, and `deny` both. */
function answerableDecisions(
  waiting: readonly DecisionView[],
  command: FindDecisionOptions["command"],
): readonly DecisionView[] {
  if (command === "deny") return waiting;
  return waiting.filter(({ kind }) => (kind === "question") === (command === "answer"));
}

const missingKind = {
  approve: "asks a question, and not for approval",
  answer: "asks for approval, and no question",
  deny: "has no open decision",
} as const;

function listDecisions(decisions: readonly DecisionView[]): string {
  return decisions.map((one) => `  ${shortDigest(one)}  ${callSummary(one)}`).join("\n");
}

/** The beginning of a decision's digest, with which people name the decision. */
export function shortDigest({ digest }: Pick<DecisionView, "digest">): string {
  return digest.slice(0, shownDigestLength);
}

/** A reference that looks like a digest is nothing else: an agent could choose an id that looks like one. */
function matchDecisions(waiting: readonly DecisionView[], ref: string): readonly DecisionView[] {
  if (digestPattern.test(ref)) return waiting.filter(({ digest }) => digest.startsWith(ref));
  const exact = waiting.filter(({ decision }) => decision === ref);
  return exact.length > 0 ? exact : waiting.filter(({ decision }) => ref !== "" && decision.startsWith(ref));
}

function describeProblem(count: number, ref: string | undefined): string {
  if (count === 1) return "has replaced a request that was withdrawn. Read the new one, and name it";
  if (ref === undefined) return "has several open decisions. Name one";
  return `has several open decisions "${toOneLine(ref)}". Open`;
}

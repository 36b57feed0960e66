import type { DecisionView, Fairlead, RunPartView, RunView } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";

/** The state of a part whose agent waits for a person. */
const askingState = "asks you";

/**
 * Shows which agents of an open run wait for a person, and how to answer them. They ask in their sessions, so that the
 * events of the run do not tell it.
 */
export async function addOpenRequests(
  fairlead: Pick<Fairlead, "decisions" | "session">,
  view: RunView,
): Promise<RunView> {
  const isOpen = ({ endedAt }: RunPartView): boolean => endedAt === null;
  if (view.outcome !== null || !view.parts.some(isOpen)) return view;
  const sessions = new Set(view.parts.filter(isOpen).map(({ session }) => session));
  const open = (await fairlead.decisions()).filter(({ session }) => sessions.has(session));
  const [first] = open;
  if (first === undefined) return view;
  const asking = new Set(open.map(({ session }) => session));
  const parts = view.parts.map((part) =>
    isOpen(part) && asking.has(part.session) ? { ...part, state: askingState } : part,
  );
  return { ...view, parts, reason: describeRequest(first, await readName(fairlead, first.session), asking.size - 1) };
}

function describeRequest({ kind }: DecisionView, name: string, others: number): string {
  const more =
    others === 0 ? "" : ` ${others === 1 ? "1 other agent asks" : `${others} other agents ask`} too: fairlead status.`;
  return kind === "question"
    ? `${name} asks a question.${more} Answer with: fairlead answer ${name} "…"`
    : `${name} asks for approval.${more} Answer with: fairlead approve ${name}`;
}

/** Reads the name of a session: `RUN.TASK`, which says more than its id. */
async function readName(fairlead: Pick<Fairlead, "session">, session: string): Promise<string> {
  try {
    return (await fairlead.session(session)).name ?? session;
  } catch (error) {
    if (FairleadError.isInstance(error)) return session;
    throw error;
  }
}

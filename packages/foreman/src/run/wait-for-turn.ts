import type { Fairlead } from "@fairlead/api";
import type { Event } from "@fairlead/contract";

/** How a turn of an agent ended. */
export type TurnEnd = {
  /** `ended`: the session ended first. `limited`: a limit or a quota stopped it. */
  readonly state: "completed" | "failed" | "limited" | "ended";
  readonly reason: string;
  /** The last event that was read. */
  readonly last: number;
};

/**
 * Waits until a turn has ended: the one with the id, or the first one after `after`. If a person interrupts it, a later
 * turn of the session counts instead: the person has taken the lead, and the work continues with the next completed turn.
 */
export async function waitForTurn(
  fairlead: Fairlead,
  session: string,
  { turn, after, signal }: { readonly turn: string | null; readonly after: number; readonly signal: AbortSignal },
): Promise<TurnEnd> {
  let expected = turn;
  let problem = "";
  for await (const event of fairlead.events(session, { after, follow: true, signal })) {
    if (!("body" in event)) continue;
    const { body, sequence: last } = event;
    if (body.type === "error.raised") problem = body.message;
    if (body.type === "session.ended")
      return { state: "ended", reason: `The session ended: ${problem === "" ? body.reason : problem}`, last };
    if (body.type === "session.paused" && body.reason === "budget")
      return { state: "limited", reason: "The limit of the session is used.", last };
    if (body.type === "session.paused" && body.reason === "quota" && body.until === undefined)
      return { state: "limited", reason: "A quota of the agent's account is used up.", last };
    if (body.type !== "turn.ended" || (expected !== null && body.turn !== expected)) continue;
    const end = toTurnEnd(body, problem, last);
    if (end !== null) return end;
    expected = null;
  }
  signal.throwIfAborted();
  throw new Error(`The events of session ${session} ended without an end of the session.`);
}

function toTurnEnd(
  body: Extract<Event["body"], { type: "turn.ended" }>,
  problem: string,
  last: number,
): TurnEnd | null {
  if (body.outcome === "completed") return { state: "completed", reason: "", last };
  if (body.outcome === "interrupted") return null;
  const reason = problem === "" ? `The turn ended as ${body.outcome}.` : problem;
  return { state: body.outcome === "limited" ? "limited" : "failed", reason, last };
}

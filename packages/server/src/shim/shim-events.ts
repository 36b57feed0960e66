import type { Event } from "@fairlead/contract";
import type { AdapterEvent } from "./adapter-event.ts";
import { advance, type ShimState } from "./shim-state.ts";
import type { Teller } from "./teller.ts";
import { tellingsOf } from "./tellings-of.ts";
import { uuidOf } from "./uuid-of.ts";

/** The name of a session as a run of this protocol. */
export const runIdOf = (session: string): string => uuidOf("run", session);

/**
 * One event of ours as events of this protocol, and what is to be remembered for the next. Pure: a session told again, by
 * this process or by another, has the same numbers and the same ids.
 */
export function shimEvents(
  state: ShimState,
  event: Event,
  teller: Teller,
): { readonly state: ShimState; readonly events: readonly AdapterEvent[] } {
  const { agentId } = teller;
  const events = tellingsOf(state, event, teller).map((telling, index) => ({
    sourceEventId: uuidOf(event.id, index),
    sourceSequence: state.told + index + 1,
    sourceOccurredAt: event.occurredAt,
    runId: runIdOf(event.session),
    event: { ...telling, agentId },
  }));
  return { state: { ...advance(state, event), told: state.told + events.length }, events };
}

import type { Event } from "@fairlead/contract";
import type { AdapterEvent, ShimMessageSource } from "./adapter-event.ts";
import { reduceShimState, type ShimState } from "./shim-state.ts";
import { messagesForEvent } from "./messages-for-event.ts";
import { deriveUuid, toRunId } from "./shim-ids.ts";

/**
 * Converts an event to events of the shim protocol, and returns the state for the next one. Pure, so any process that
 * replays a session gives its events the same sequences and ids.
 */
export function toShimEvents(
  state: ShimState,
  event: Event,
  source: ShimMessageSource,
): { readonly state: ShimState; readonly events: readonly AdapterEvent[] } {
  const { agentId } = source;
  const events = messagesForEvent(state, event, source).map((message, index) => ({
    sourceEventId: deriveUuid(event.id, index),
    sourceSequence: state.messageCount + index + 1,
    sourceOccurredAt: event.occurredAt,
    runId: toRunId(event.session),
    event: { ...message, agentId },
  }));
  return { state: { ...reduceShimState(state, event), messageCount: state.messageCount + events.length }, events };
}

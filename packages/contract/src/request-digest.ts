import type { EventOf } from "./agent-event.ts";
import { sha256 } from "./sha256.ts";

/**
 * Returns the digest of a request for a decision: of everything that a person is shown. An answer that contains it is
 * refused if the open request is another one. The agent chooses the ids of its requests and may use one again.
 */
export function requestDigest(request: Omit<EventOf<"decision.requested">, "type">): string {
  const { decision, kind, title, call, tool, input, questions } = request;
  return sha256(JSON.stringify([decision, kind, title, call, tool, input, questions]));
}

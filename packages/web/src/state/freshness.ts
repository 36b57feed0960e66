import { overviewHeartbeatMs } from "@fairlead/api";

/** How current the page is. */
export type Freshness =
  | { readonly type: "connecting" }
  | { readonly type: "live" }
  /** The connection is lost, or nothing has arrived for too long. */
  | { readonly type: "stale"; readonly seconds: number }
  /** The service refuses the token, so that no attempt would succeed. */
  | { readonly type: "refused"; readonly reason: string };

/** The service sends a message every two seconds, so silence for longer means that the connection is lost. */
const maxSilence = 2 * overviewHeartbeatMs;

export interface ConnectionFacts {
  readonly isOpen: boolean;
  /** When the last message arrived, by the clock of the service, in milliseconds; null before the first one. */
  readonly heardAt: number | null;
  readonly refusal: string | null;
}

export function freshnessOf({ isOpen, heardAt, refusal }: ConnectionFacts, now: number): Freshness {
  if (refusal !== null) return { type: "refused", reason: refusal };
  if (heardAt === null) return { type: "connecting" };
  const silence = now - heardAt;
  if (isOpen && silence < maxSilence) return { type: "live" };
  return { type: "stale", seconds: Math.max(0, Math.floor(silence / 1000)) };
}

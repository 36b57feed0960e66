import type { ErrorCategory } from "@fairlead/contract";
import type { ShimErrorCategory, ShimSeverity } from "./adapter-event.ts";

export interface ShimErrorDetails {
  readonly category: ShimErrorCategory;
  /** Whether a retry may succeed. */
  readonly recoverable: boolean;
  readonly severity: ShimSeverity;
}

const recoverableError = (category: ShimErrorCategory): ShimErrorDetails => ({
  category,
  recoverable: true,
  severity: "medium",
});
const permanentError = (category: ShimErrorCategory): ShimErrorDetails => ({
  category,
  recoverable: false,
  severity: "high",
});

/** Maps Fairlead's error categories to the coarser ones of the shim protocol. */
export const errorDetailsByCategory: Readonly<Record<ErrorCategory, ShimErrorDetails>> = {
  "bad-request": permanentError("provider"),
  "not-authenticated": permanentError("provider"),
  "rate-limited": recoverableError("provider"),
  "provider-failed": recoverableError("provider"),
  unreachable: recoverableError("provider"),
  "connection-lost": recoverableError("provider"),
  "limit-reached": recoverableError("model"),
  "session-not-found": permanentError("internal"),
  "conversation-in-use": recoverableError("internal"),
  "not-started": permanentError("internal"),
  "agent-died": { ...permanentError("internal"), severity: "critical" },
  "timed-out": recoverableError("timeout"),
  "command-failed": recoverableError("tool"),
  "not-allowed": permanentError("tool"),
  unknown: permanentError("internal"),
};

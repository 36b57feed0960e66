import type { ErrorCategory } from "@fairlead/contract";
import type { ErrorKind, Severity } from "./adapter-event.ts";

export interface ErrorFacts {
  readonly category: ErrorKind;
  /** Whether the same thing asked again may go well. */
  readonly recoverable: boolean;
  readonly severity: Severity;
}

const passing = (category: ErrorKind): ErrorFacts => ({ category, recoverable: true, severity: "medium" });
const lasting = (category: ErrorKind): ErrorFacts => ({ category, recoverable: false, severity: "high" });

/** Our categories of error in the coarser words of this protocol. */
export const errorKinds: Readonly<Record<ErrorCategory, ErrorFacts>> = {
  "bad-request": lasting("provider"),
  "not-authenticated": lasting("provider"),
  "rate-limited": passing("provider"),
  "provider-failed": passing("provider"),
  unreachable: passing("provider"),
  "connection-lost": passing("provider"),
  "limit-reached": passing("model"),
  "session-not-found": lasting("internal"),
  "not-started": lasting("internal"),
  "agent-died": { ...lasting("internal"), severity: "critical" },
  "timed-out": passing("timeout"),
  "command-failed": passing("tool"),
  "not-allowed": lasting("tool"),
  unknown: lasting("internal"),
};

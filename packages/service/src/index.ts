export { LocalFairlead } from "./local-fairlead.ts";
export type { LocalFairleadOptions } from "./local-fairlead-options.ts";
export { IndexQueries, toUsageViews, type IndexedSessions, type SessionCount } from "./index-queries.ts";
export { toSessionView } from "./views.ts";
export { scopeKey } from "./scope-key.ts";
export { summarizeHealth } from "./summarize-health.ts";
export { type EventObserver, combineObservers } from "./event-observer.ts";
export type { SessionFailure } from "@fairlead/runtime";
export type { DelegationBounds } from "./delegation/delegation.ts";

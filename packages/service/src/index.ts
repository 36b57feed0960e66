export { LocalFairlead, type LocalFairleadOptions } from "./local-fairlead.ts";
export type { SessionCount } from "./queries.ts";
export { type EventObserver, combineObservers } from "./event-observer.ts";
export type { SessionFailure } from "@fairlead/runtime";
export type { DelegationBounds } from "./delegation/delegation.ts";

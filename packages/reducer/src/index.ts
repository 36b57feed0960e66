export { adapterFailurePrefix } from "./fence-adapter.ts";
export { SessionReducer } from "./session-reducer.ts";
export { type SessionState, initialSessionState } from "./session-state.ts";
export { stripContext } from "./session-lifecycle.ts";
export type { Reduction, PendingEffect } from "./emitter.ts";

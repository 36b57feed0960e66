export { adapterFailurePrefix } from "./fence-adapter.ts";
export { SessionReducer } from "./session-reducer.ts";
export { type SessionState, initialSessionState } from "./session-state.ts";
export type { RequestReader } from "./read-request.ts";
export type { TerminalRecording } from "./terminal-recording.ts";
export { listUnpricedModels, spentOf } from "./limits/spending-limits.ts";
export { describeExit, stripContext } from "./session-lifecycle.ts";
export { findEffectOfRecord } from "./find-effect-of-record.ts";
export { invalidEventPrefix, unlawfulEventPrefix, type Reduction, type PendingEffect } from "./emitter.ts";

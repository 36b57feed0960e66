export { unknownSession, type SessionTail } from "./sessions/session-catalog.ts";
export { buildChildEnvironment, type Environment } from "./host/child-environment.ts";
export { keepableLimits } from "./config/assert-limits.ts";
export { assertWorkspace } from "./config/assert-workspace.ts";
export { harmlessSettingNames, isFlag, modesThatAsk } from "./config/approval-policy.ts";
export { selectAgent, type AgentSelectionOptions, type SelectedAgent } from "./config/select-agent.ts";
export { secretSettingNames } from "./sessions/secret-settings.ts";
export { createCheckpoint, type SessionCheckpoint } from "./sessions/session-checkpoint.ts";
export { decide, type PolicyDecision } from "./gate/decide.ts";
export { formatCommand } from "./gate/read-decision.ts";
export { addGrants, assertGrantsFit } from "./policy/add-grants.ts";
export { formatBrief, parseBrief } from "./config/brief-file.ts";
export { parsePolicyRequest } from "./policy/user-policy.ts";
export { joinPolicies, type PolicySources } from "./policy/session-policy.ts";
export { defaultPolicy } from "./gate/default-policy.ts";
export type { PolicyFinding } from "./gate/policy-finding.ts";
export type { PolicyAction } from "./gate/policy-action.ts";
export { Home } from "./home.ts";
export { HomeWatch, type HomeProblem } from "./host/home-watch.ts";
export { forgetImage } from "./moving/session-image.ts";
export { departedKeepMs } from "./moving/departed-keep-ms.ts";
export { isKeeperGone } from "./host/is-keeper-gone.ts";
export { lastChangeIn } from "./host/last-change-in.ts";
export { localUserName } from "./host/local-user-name.ts";
export { createProbeHost } from "./host/probe-host.ts";
export { validateSettings, assertModeSupported, AdapterRegistry } from "./config/adapter-registry.ts";
export { inspectCopySource } from "./copies/create-copy.ts";
export { findWorkspaceChanges, type WorkspaceChanges } from "./review/workspace-changes.ts";
export { markDiscarded } from "./review/mark-discarded.ts";
export { listChangedFiles, type ChangedFile } from "./review/list-changed-files.ts";
export { findModelMaker } from "./prices/find-model-maker.ts";
export { estimateTotal, estimateUsage } from "./prices/estimate-usage.ts";
export {
  RunRepository,
  type CommitStatistics,
  type RunOrigin,
  type RunSnapshot,
  type TreeMerge,
} from "./run-repository/run-repository.ts";
export { Runtime } from "./runtime.ts";
export type { KeeperAttendance } from "./host/keeper-attendance.ts";
export type { RuntimeOptions } from "./runtime-options.ts";
export type { ParentBounds } from "./delegation/parent-bounds.ts";
export { KeyedMutex } from "./sessions/start/keyed-mutex.ts";
export { pickSandboxChoice } from "./sandbox/compute-sandbox.ts";
export type { StartOptions } from "./sessions/start/start-options.ts";
export { findContainment, findSandboxProblem } from "@fairlead/keeper";
export { findConfigMistakes } from "./config/find-config-mistakes.ts";
export { readUserConfig } from "./config/user-config.ts";
export { decodeEvents } from "./actor/stored-events.ts";
export { commandRejected } from "./actor/command-rejected.ts";
export { livenessOf, quietTimesOf } from "./sessions/liveness.ts";
export { idFromKey } from "./sessions/ids.ts";
export type { LeaveOptions } from "./sessions/leave-host.ts";
export { Session } from "./sessions/session.ts";
export { isTransientFailure } from "./sessions/is-transient-failure.ts";
export type { SessionFailure } from "./sessions/session-failures.ts";
export { SessionDirectory } from "./sessions/session-directory.ts";
export type { RecoveryReport } from "./sessions/attach/recover-sessions.ts";
export { Sessions, type SessionsOptions } from "./sessions/sessions.ts";
export { SummaryReducer, type SessionSummary } from "./sessions/session-summary.ts";
export type { SessionProjections } from "./projection/session-projections.ts";
export { projectionVersion, SessionProjection, type OpenDecision } from "./projection/session-projection.ts";
export type { SessionUsage } from "./projection/usage-totals.ts";
export { readRooms, roomScope, type RoomScope } from "./config/workspace-rooms.ts";
export { parseConfig, parseWorkspaceConfig } from "./config/parse-workspace-config.ts";
export type { WorkspaceConfig } from "./config/workspace-config.ts";
export { findWorkspaceFile, workspaceFileName, type WorkspaceFileContent } from "./config/workspace-file.ts";
export type { ConnectedToolProgram, ToolPrograms } from "./tools/tool-programs.ts";

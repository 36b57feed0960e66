export { findBreakingChanges } from "./breaking-changes.ts";
export { Checkpoint, checkpointSchemaId } from "./checkpoint.ts";
export { assertEventReadOptions, type EventReadOptions } from "./event-read-options.ts";
export type { Caller, CallerOptions, CommandOptions, Fairlead, OverviewOptions } from "./fairlead.ts";
export { bearerSubprotocol, closeCodes, type EventPage, EventQuery, type Frame, subprotocol } from "./frames.ts";
export { type AnswerChoices, grantLabels, listAnswerChoices } from "./format/answer-choices.ts";
export { escapeLine } from "./format/escape-line.ts";
export { takeFirstLines, type TruncatedLines } from "./format/first-lines.ts";
export {
  formatAge,
  formatCosts,
  formatDuration,
  formatMoney,
  formatTokens,
  groupDigits,
} from "./format/format-amounts.ts";
export { formatResolution, formatResolver } from "./format/format-resolution.ts";
export { formatSessionState } from "./format/format-session-state.ts";
export {
  hiddenLines,
  type InputField,
  type InputSummary,
  listInputFields,
  maxInputLines,
  summarizeInput,
} from "./format/input-fields.ts";
export { sanitizeText, toOneLine } from "./format/sanitize-text.ts";
export { Plan, PlanCommand, PlanForge, PlanRole, PlanTask, RunRequest, type RunRequestInput } from "./foreman/plan.ts";
export {
  CommandResult,
  DiffStatistics,
  ReviewFinding,
  RunEvent,
  RunEventBody,
  RunEventPage,
  RunEventQuery,
  RunOutcome,
} from "./foreman/run-event.ts";
export { RunCheck, RunListQuery, RunPage, RunPartView, RunView } from "./foreman/run-view.ts";
export { buildOpenApi, type OpenApiDocument } from "./openapi.ts";
export { parseArguments, parseWithSchema } from "./parse-arguments.ts";
export { AnswerRequest, ForkRequest, maxBodyBytes, ResumeRequest, MessageRequest, StartRequest } from "./requests.ts";
export { errorFromProblem, createProblem, Problem, problemMediaType, problemFromError } from "./problem.ts";
export {
  type ClientMethods,
  collectArguments,
  type CommandRouteName,
  type FairleadMethods,
  type MethodRouteName,
  type ParsedArguments,
  readArguments,
  type RequestParts,
  type ServedMethods,
} from "./route-arguments.ts";
export { type BodyOf, pathSegmentPattern, type ReplyOf, type Route, type RouteName, routes } from "./routes.ts";
export { type RouteScope, Scope, scopes, scopesHeader } from "./scope.ts";
export { listSessions, openSessionStates, SessionPage, SessionQuery } from "./session-query.ts";
export { ToolProgramFrame, ToolProgramId, ToolProgramMessage, toolProgramPath } from "./tool-program.ts";
export { AgentView } from "./views/agent.ts";
export { BroughtBranch } from "./views/brought-branch.ts";
export { DecisionView } from "./views/decision.ts";
export { Diff, DiffQuery, FileView } from "./views/file.ts";
export { CodeExchange, CodeRequest, CodeView, codeLifetimeMs, GrantView, SignedInView } from "./views/grant.ts";
export { Health } from "./views/health.ts";
export {
  overviewEndedSessions,
  OverviewFrame,
  overviewHeartbeatMs,
  OverviewMessage,
  OverviewQuery,
  zeroCounts,
} from "./views/overview.ts";
export { SearchPage, SearchQuery } from "./views/search.ts";
export { ActivityView, RecentEvents, SessionView } from "./views/session.ts";
export { TurnPage, TurnQuery } from "./views/turns.ts";
export { TurnBucket, UsageBucket, UsageHistoryQuery, UsageView } from "./views/usage.ts";

export { findBreakingChanges } from "./breaking-changes.ts";
export { Checkpoint, checkpointSchemaId } from "./checkpoint.ts";
export type { Caller, CallerOptions, CommandOptions, Fairlead, EventReadOptions } from "./fairlead.ts";
export { bearerSubprotocol, closeCodes, type EventPage, EventQuery, type Frame, subprotocol } from "./frames.ts";
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
export { Scope, scopes, scopesHeader } from "./scope.ts";
export { listSessions, openSessionStates, SessionPage, SessionQuery } from "./session-query.ts";
export { ToolProgramFrame, ToolProgramId, ToolProgramMessage, toolProgramPath } from "./tool-program.ts";
export { AgentView } from "./views/agent.ts";
export { BroughtBranch } from "./views/brought-branch.ts";
export { DecisionView } from "./views/decision.ts";
export { Diff, DiffQuery, FileView } from "./views/file.ts";
export { Health } from "./views/health.ts";
export { SessionView } from "./views/session.ts";
export { UsageView } from "./views/usage.ts";

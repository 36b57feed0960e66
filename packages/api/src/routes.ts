import { Brief, TerminalSize } from "@fairlead/contract";
import { z } from "zod";
import { Checkpoint } from "./checkpoint.ts";
import { accessRoutes } from "./access-routes.ts";
import { runRoutes } from "./foreman/run-routes.ts";
import { EventPage, EventQuery } from "./frames.ts";
import { AnswerRequest, ForkRequest, ResumeRequest, MessageRequest, StartRequest } from "./requests.ts";
import {
  commandDefaults,
  promptDefaults,
  queryDefaults,
  type Route,
  sessionPath,
  sessionQueryDefaults,
  terminalDefaults,
} from "./route.ts";
import { SessionPage, SessionQuery } from "./session-query.ts";
import { AgentView } from "./views/agent.ts";
import { BroughtBranch } from "./views/brought-branch.ts";
import { DecisionView } from "./views/decision.ts";
import { Diff, DiffQuery, FileView } from "./views/file.ts";
import { Health } from "./views/health.ts";
import { OverviewFrame, OverviewQuery } from "./views/overview.ts";
import { SessionView } from "./views/session.ts";
import { SearchPage, SearchQuery } from "./views/search.ts";
import { TurnPage, TurnQuery } from "./views/turns.ts";
import { TurnBucket, UsageBucket, UsageHistoryQuery, UsageView } from "./views/usage.ts";

export type { ArgumentSource, Route } from "./route.ts";

export const routes = {
  health: { ...queryDefaults, path: "/v1/health", reply: Health, summary: "Check the health of the service." },
  metrics: {
    ...queryDefaults,
    path: "/v1/metrics",
    reply: z.string(),
    media: "text/plain",
    args: null,
    summary: "Read metrics in the Prometheus text format.",
  },
  agents: {
    ...queryDefaults,
    path: "/v1/agents",
    reply: z.array(AgentView),
    summary: "List all agents and their installations on this machine.",
  },
  start: {
    ...promptDefaults,
    path: "/v1/sessions",
    body: StartRequest,
    reply: SessionView,
    args: ["body"],
    summary: "Start a session.",
  },
  sessions: {
    ...queryDefaults,
    path: "/v1/sessions",
    query: SessionQuery,
    reply: SessionPage,
    args: ["query"],
    summary: "List sessions as pages, newest activity first.",
  },
  overview: {
    ...queryDefaults,
    path: "/v1/overview",
    query: OverviewQuery,
    reply: OverviewFrame,
    args: null,
    summary: "Get all open sessions, the newest ended ones and the open decisions, or follow them over a WebSocket.",
  },
  session: {
    ...sessionQueryDefaults,
    path: sessionPath,
    reply: SessionView,
    summary: "Get a session by its id, its name or a prefix of its id.",
  },
  events: {
    ...queryDefaults,
    path: `${sessionPath}/events`,
    query: EventQuery,
    reply: EventPage,
    args: null,
    summary: "Read a session's events as a page, or stream them over a WebSocket or as server-sent events.",
  },
  turns: {
    ...sessionQueryDefaults,
    path: `${sessionPath}/turns`,
    query: TurnQuery,
    reply: TurnPage,
    args: ["session", "query"],
    summary: "Get an outline of the session: its turns as pages, the newest page first.",
  },
  search: {
    ...sessionQueryDefaults,
    path: `${sessionPath}/search`,
    query: SearchQuery,
    reply: SearchPage,
    args: ["session", "query"],
    summary: "Find a text in the events of the session, the newest events first.",
  },
  send: {
    ...promptDefaults,
    path: `${sessionPath}/messages`,
    body: MessageRequest,
    reply: z.strictObject({ turn: z.string() }),
    args: ["session", "body.text"],
    summary: "Send a message to the agent and get the id of its turn.",
  },
  steer: {
    ...promptDefaults,
    path: `${sessionPath}/steer`,
    body: MessageRequest,
    args: ["session", "body.text"],
    summary: "Send a message into the running turn.",
  },
  inject: {
    ...promptDefaults,
    path: `${sessionPath}/inject`,
    body: MessageRequest,
    args: ["session", "body.text"],
    summary: "Queue context to send with the next message.",
  },
  updateBrief: {
    ...promptDefaults,
    path: `${sessionPath}/brief`,
    body: Brief,
    args: ["session", "body"],
    summary: "Replace the brief. The agent gets it in the running turn, if it can, or with the next message.",
  },
  answer: {
    ...commandDefaults,
    path: `${sessionPath}/answers`,
    scope: "approve",
    body: AnswerRequest,
    args: ["session", "body.decision", "body.answer"],
    summary: "Answer a decision.",
  },
  interrupt: {
    ...commandDefaults,
    path: `${sessionPath}/interrupt`,
    reply: z.strictObject({ turn: z.string() }),
    summary: "Interrupt the running turn, keep the session, and get the id of the turn.",
  },
  pause: {
    ...commandDefaults,
    path: `${sessionPath}/pause`,
    reply: Checkpoint,
    summary: "End the agent's process and keep the conversation.",
  },
  checkpoint: {
    ...sessionQueryDefaults,
    path: `${sessionPath}/checkpoint`,
    reply: Checkpoint,
    summary: "Get the state that is needed to continue the session.",
  },
  resume: {
    ...promptDefaults,
    path: `${sessionPath}/resume`,
    body: ResumeRequest,
    reply: SessionView,
    args: ["session", "body"],
    summary: "Resume a paused session, or start a session that continues an ended one.",
  },
  fork: {
    ...promptDefaults,
    path: `${sessionPath}/fork`,
    body: ForkRequest,
    reply: SessionView,
    args: ["session", "body"],
    summary: "Start a session with a copy of the conversation.",
  },
  bring: {
    ...commandDefaults,
    path: `${sessionPath}/bring`,
    reply: BroughtBranch,
    summary: "Fetch the branch of an isolated session into the person's repository.",
  },
  stop: {
    ...commandDefaults,
    path: `${sessionPath}/stop`,
    reply: SessionView,
    summary: "End the session and keep its events.",
  },
  takeOver: {
    ...terminalDefaults,
    promptsAgent: true,
    path: `${sessionPath}/take-over`,
    body: TerminalSize,
    args: ["session", "body"],
    summary: "Open the agent's own terminal for a person and stream its screen as deltas.",
  },
  // Key strokes may contain secrets. Without an idempotency key, the service stores nothing of them. Not retriable: the
  // client cannot know whether the service received a key stroke, and a lost one is better than a repeated one.
  type: {
    ...terminalDefaults,
    promptsAgent: true,
    command: false,
    retriable: false,
    path: `${sessionPath}/keys`,
    body: MessageRequest,
    args: ["session", "body.text"],
    summary: "Type into the agent's terminal.",
  },
  resize: {
    ...terminalDefaults,
    command: false,
    path: `${sessionPath}/size`,
    body: TerminalSize,
    args: ["session", "body"],
    summary: "Resize the agent's terminal.",
  },
  handBack: {
    ...terminalDefaults,
    path: `${sessionPath}/hand-back`,
    summary: "Close the agent's terminal and return control to the agent.",
  },
  forget: {
    ...commandDefaults,
    path: `${sessionPath}/forget`,
    scope: "admin",
    summary: "Delete an ended session and all its events.",
  },
  decisions: {
    ...queryDefaults,
    path: "/v1/decisions",
    reply: z.array(DecisionView),
    summary: "List all open decisions.",
  },
  files: {
    ...sessionQueryDefaults,
    path: `${sessionPath}/files`,
    reply: z.array(FileView),
    summary: "List the files that changed in a session.",
  },
  diff: {
    ...sessionQueryDefaults,
    path: `${sessionPath}/diff`,
    query: DiffQuery,
    reply: Diff,
    args: ["session", "query"],
    summary:
      "Get the changes in the workspace since the session started or since the last commit, or of one turn, as a patch.",
  },
  usage: {
    ...queryDefaults,
    path: "/v1/usage",
    query: z.strictObject({ session: z.string().optional() }),
    reply: z.array(UsageView),
    args: ["query.session"],
    summary: "Get the usage by session and model.",
  },
  usageHistory: {
    ...queryDefaults,
    path: "/v1/usage/history",
    query: UsageHistoryQuery,
    reply: z.array(UsageBucket),
    args: ["query"],
    summary: "Get the usage by hour or day, agent, model and workspace.",
  },
  turnHistory: {
    ...queryDefaults,
    path: "/v1/turns/history",
    query: UsageHistoryQuery,
    reply: z.array(TurnBucket),
    args: ["query"],
    summary: "Get ended turns and the time that requests waited, by hour or day, agent and workspace.",
  },
  ...runRoutes,
  ...accessRoutes,
  shutdown: {
    ...commandDefaults,
    path: "/v1/shutdown",
    scope: "admin",
    command: false,
    args: null,
    summary: "Stop the service. Agents keep running, and the next service finds them.",
  },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;

/** The reply of a route; void for a route without one. */
export type ReplyOf<Name extends RouteName> = (typeof routes)[Name]["reply"] extends infer Schema extends z.ZodType
  ? z.infer<Schema>
  : void;

/** The body of a route before defaults are applied; undefined for a route without one. */
export type BodyOf<Name extends RouteName> = (typeof routes)[Name]["body"] extends infer Schema extends z.ZodType
  ? z.input<Schema>
  : undefined;

/** The form of a path segment. It fits every id and name, and needs no encoding. */
export const pathSegmentPattern = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/;

import { TerminalSize } from "@fairlead/contract";
import { z } from "zod";
import { Checkpoint } from "./checkpoint.ts";
import { EventPage, EventQuery } from "./frames.ts";
import { Decide, Fork, Resume, Say, Start } from "./orders.ts";
import type { Scope } from "./scope.ts";
import { AgentView } from "./views/agent.ts";
import { DecisionView } from "./views/decision.ts";
import { Diff, FileView } from "./views/file.ts";
import { Health } from "./views/health.ts";
import { SessionView } from "./views/session.ts";
import { UsageView } from "./views/usage.ts";

/** One thing that can be asked of the service, as data: server, client and OpenAPI are all made from it. */
export interface Route {
  readonly method: "GET" | "POST";
  /** Letters as they stand: no segment of a path is ever percent-encoded. */
  readonly path: `/v1/${string}`;
  /** What a token must be good for. */
  readonly scope: Exclude<Scope, "report">;
  /** Takes an `Idempotency-Key`. */
  readonly command: boolean;
  /** What it does, for people. */
  readonly says: string;
  readonly query: z.ZodObject | null;
  readonly body: z.ZodType | null;
  /** Null when there is nothing to say but that it is done (204). */
  readonly reply: z.ZodType | null;
  readonly media: "application/json" | "text/plain";
}

const looking = {
  method: "GET",
  scope: "read",
  command: false,
  query: null,
  body: null,
  media: "application/json",
} as const;
const driving = { ...looking, method: "POST", scope: "drive", command: true, reply: null } as const;
/** Whoever sits at an agent's own terminal drives it and approves of things there, and nobody is asked. */
const leading = { ...driving, scope: "admin" } as const;
const ofSession = "/v1/sessions/:session";

export const routes = {
  health: { ...looking, path: "/v1/health", reply: Health, says: "Whether the service is well." },
  metrics: { ...looking, path: "/v1/metrics", reply: z.string(), media: "text/plain", says: "Numbers for Prometheus." },
  agents: { ...looking, path: "/v1/agents", reply: z.array(AgentView), says: "Every agent, and what was found of it." },
  start: { ...driving, path: "/v1/sessions", body: Start, reply: SessionView, says: "Starts a session." },
  sessions: {
    ...looking,
    path: "/v1/sessions",
    reply: z.array(SessionView),
    says: "All sessions, newest activity first.",
  },
  session: { ...looking, path: ofSession, reply: SessionView, says: "One session, by id, name or beginning of an id." },
  events: {
    ...looking,
    path: `${ofSession}/events`,
    query: EventQuery,
    reply: EventPage,
    says: "A session's events after a number: a page, or a stream of frames as a WebSocket or as server-sent events.",
  },
  send: {
    ...driving,
    path: `${ofSession}/messages`,
    body: Say,
    reply: z.strictObject({ turn: z.string() }),
    says: "Says something to the agent; it becomes the turn of that name.",
  },
  steer: { ...driving, path: `${ofSession}/steer`, body: Say, says: "Says something into the turn that is going on." },
  inject: { ...driving, path: `${ofSession}/inject`, body: Say, says: "Has the agent told with the next message." },
  answer: { ...driving, path: `${ofSession}/answers`, scope: "approve", body: Decide, says: "Answers a decision." },
  interrupt: { ...driving, path: `${ofSession}/interrupt`, says: "Stops the turn, keeps the session." },
  pause: {
    ...driving,
    path: `${ofSession}/pause`,
    reply: Checkpoint,
    says: "Lets the process go, keeps the conversation.",
  },
  checkpoint: { ...looking, path: `${ofSession}/checkpoint`, reply: Checkpoint, says: "What it takes to go on." },
  resume: { ...driving, path: `${ofSession}/resume`, body: Resume, reply: SessionView, says: "Takes it up again." },
  fork: { ...driving, path: `${ofSession}/fork`, body: Fork, reply: SessionView, says: "Goes another way from here." },
  stop: { ...driving, path: `${ofSession}/stop`, reply: SessionView, says: "Ends the session, keeps what happened." },
  takeOver: {
    ...leading,
    path: `${ofSession}/take-over`,
    body: TerminalSize,
    says: "Lets a person lead in the agent's own terminal; what it shows comes as deltas.",
  },
  // Keys are secrets at times: without a key of their own, nothing of them is kept.
  type: { ...leading, command: false, path: `${ofSession}/keys`, body: Say, says: "Types into that terminal." },
  resize: { ...leading, command: false, path: `${ofSession}/size`, body: TerminalSize, says: "Changes its size." },
  handBack: { ...leading, path: `${ofSession}/hand-back`, says: "Ends that terminal; the agent leads again." },
  forget: {
    ...driving,
    path: `${ofSession}/forget`,
    scope: "admin",
    says: "Forgets a session that has ended, for good.",
  },
  decisions: { ...looking, path: "/v1/decisions", reply: z.array(DecisionView), says: "All that waits for an answer." },
  files: {
    ...looking,
    path: `${ofSession}/files`,
    reply: z.array(FileView),
    says: "The files that the agent changed.",
  },
  diff: { ...looking, path: `${ofSession}/diff`, reply: Diff, says: "What has changed in the workspace, as a patch." },
  usage: {
    ...looking,
    path: "/v1/usage",
    query: z.strictObject({ session: z.string().optional() }),
    reply: z.array(UsageView),
    says: "What was used, by session and model.",
  },
  shutdown: {
    ...driving,
    path: "/v1/shutdown",
    scope: "admin",
    command: false,
    says: "Ends the service; agents go on, and are found again by the next.",
  },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;

/** What a route gives, once it is known which. */
export type ReplyOf<Name extends RouteName> = (typeof routes)[Name]["reply"] extends infer Schema extends z.ZodType
  ? z.infer<Schema>
  : void;

/** What a route's body says, before anything is filled in; undefined for one that takes none. */
export type BodyOf<Name extends RouteName> = (typeof routes)[Name]["body"] extends infer Schema extends z.ZodType
  ? z.input<Schema>
  : undefined;

/** What a segment of a path may hold: enough for every id and every name, and nothing that has to be encoded. */
export const pathSegment = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/;

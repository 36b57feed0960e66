import type { Socket } from "node:net";
import type { Fairlead, Scope } from "@fairlead/api";
import type { HttpObserver } from "../observability/http-observer.ts";
import type { RequestFacts, AccessDecision } from "./access/guard.ts";
import type { Limits } from "./limits.ts";
import type { Semaphore } from "./semaphore.ts";
import type { ToolProgramRegistry } from "./streams/tool-program-connection.ts";
import type { RevocationWatcher } from "./access/revocation-watcher.ts";

export interface AppOptions {
  readonly fairlead: Fairlead;
  /** The version that a liveness probe reports. */
  readonly version?: string;
  /** Decides on every request, upgrades included, before the app handles it. The scope is null for an unknown route. */
  /** Called with the connection of each request that the guard accepts. */
  readonly onAuthorized?: (socket: Socket) => void;
  readonly authorize: (facts: RequestFacts, scope: Scope | null) => AccessDecision;
  /** Ends the streams of callers whose token was revoked. */
  readonly revocationWatcher?: RevocationWatcher;
  readonly limits: Limits;
  /** Limits concurrent diffs; shared by all listeners of a service. */
  readonly diffSemaphore?: Semaphore;
  /** Ends every stream. A stream that follows a session would otherwise stay open. */
  readonly shutdownSignal: AbortSignal;
  /** Renders the metrics of the service in Prometheus' format. */
  readonly metrics?: () => Promise<string>;
  /** Receives every answered request and every follower. */
  readonly httpObserver?: HttpObserver;
  readonly requestShutdown?: () => void;
  /** Runs the tools of programs that connect. Without it, no program can connect. */
  readonly toolPrograms?: ToolProgramRegistry;
  /** Receives errors that the caller did not cause. */
  readonly onError?: (error: unknown) => void;
}

import type { Socket } from "node:net";
import type { Fairlead, RouteScope } from "@fairlead/api";
import type { HttpObserver } from "../observability/http-observer.ts";
import type { RequestFacts, AccessDecision } from "./access/guard.ts";
import type { Limits } from "./limits.ts";
import type { Semaphore } from "./semaphore.ts";
import type { ToolProgramRegistry } from "./streams/tool-program-connection.ts";
import type { OneTimeCodes } from "./access/one-time-codes.ts";
import type { RevocationWatcher } from "./access/revocation-watcher.ts";
import type { ServedPage } from "./page/serve-page.ts";

export interface AppOptions {
  readonly fairlead: Fairlead;
  /** The version that a liveness probe reports. */
  readonly version?: string;
  /** Called with the connection of each request that the guard accepts. */
  readonly onAuthorized?: (socket: Socket) => void;
  /** Decides on every request, upgrades included, before the app handles it. The scope is null for an unknown route. */
  readonly authorize: (facts: RequestFacts, scope: RouteScope | null) => AccessDecision;
  /** Ends the streams of callers whose token was revoked. */
  readonly revocationWatcher?: RevocationWatcher;
  /** Serves the web page at all paths that are not the API's. Without it, such a path is not found. */
  readonly page?: ServedPage;
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
  /** Exchanges one-time codes for tokens. Without it, callers need a token that was issued otherwise. */
  readonly codes?: OneTimeCodes;
  /** Runs the tools of programs that connect. Without it, no program can connect. */
  readonly toolPrograms?: ToolProgramRegistry;
  /** Receives errors that the caller did not cause. */
  readonly onError?: (error: unknown) => void;
}

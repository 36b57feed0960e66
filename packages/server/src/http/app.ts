import {
  type CallerOptions,
  createProblem,
  parseWithSchema,
  problemFromError,
  type Route,
  routes,
  toolProgramPath,
} from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { jsonResponse, problemResponse, privateHeaders } from "./responses.ts";
import type { AppOptions } from "./app-options.ts";
import type { AppContext, AppTypes } from "./app-types.ts";
import { callMethod, type BoundRouteName } from "./route-handlers.ts";
import { handleEvents, isWebSocketUpgrade } from "./streams/events-route.ts";
import { handleOverview } from "./streams/overview-route.ts";
import { handleToolProgram } from "./streams/tool-program-route.ts";
import { handleCreateCode, handleExchangeCode, handleGrant, maxUnidentifiedBody } from "./access/access-handlers.ts";
import type { Grant } from "./access/guard.ts";
import { limitToWorkspaces, refuseLimitedCaller } from "./access/limit-to-workspaces.ts";
import { readRequestFacts } from "./access/read-request-facts.ts";
import { isPagePath, servePage } from "./page/serve-page.ts";
import { readBody } from "./read-body.ts";

/** The routes that can be followed over a WebSocket. */
const socketPaths: readonly string[] = [routes.events.path, routes.overview.path];

export type App = Hono<AppTypes>;

/** Creates the HTTP app: every route of the API, bound to a `Fairlead`. */
export function createApp(options: AppOptions): App {
  const app: App = new Hono();
  const limitBody = (maxSize: number) =>
    bodyLimit({
      maxSize,
      onError: () =>
        problemResponse(createProblem("invalid-request", `The body is larger than ${maxSize} bytes.`, 413)),
    });
  const tooLarge = limitBody(options.limits.body);
  const tooLargeWithoutToken = limitBody(maxUnidentifiedBody);
  for (const [name, route] of Object.entries<Route>(routes)) {
    app.on(
      route.method,
      route.path,
      countResponses(options, name),
      authorizeRequests(options, route),
      route.scope === "none" ? tooLargeWithoutToken : tooLarge,
      (context) => {
        if (name === "grant") return handleGrant(context);
        if (name === "createCode") return handleCreateCode(context, options.codes);
        if (name === "exchangeCode") return handleExchangeCode(context, options.codes);
        const { workspaces } = context.get("grant");
        const fairlead = workspaces ? limitToWorkspaces(options.fairlead, workspaces) : options.fairlead;
        const limited = { ...options, fairlead };
        const isStillValid = (): boolean => isStillAuthorized(context, options, route);
        if (name === "events") return handleEvents(context, limited, isStillValid);
        if (name === "overview") return handleOverview(context, limited, isStillValid);
        if (name === "metrics" || name === "shutdown") refuseLimitedCaller(workspaces);
        if (name === "metrics") return handleMetrics(options);
        if (name === "shutdown") return handleShutdown(options);
        return handleCall(context, limited, name as BoundRouteName, route);
      },
    );
  }
  app.get(toolProgramPath, (context) =>
    handleToolProgram(context, options, () => options.authorize(readRequestFacts(context.env.incoming), "drive")),
  );
  app.get("/healthz", (context) => handleLiveness(context, options));
  app.notFound((context) => {
    const { incoming } = context.env;
    if (options.page !== undefined && isPagePath(incoming.url ?? "")) {
      const response = servePage(incoming, options.page);
      options.httpObserver?.onResponse("page", response.status);
      return response;
    }
    const decision = options.authorize(readRequestFacts(incoming), null);
    const details = "refusal" in decision ? decision.refusal : createProblem("invalid-request", "No such route.", 404);
    options.httpObserver?.onResponse("none", details.status);
    return problemResponse(details);
  });
  app.onError((error) => {
    if (!FairleadError.isInstance(error)) options.onError?.(error);
    return problemResponse(problemFromError(error));
  });
  return app;
}

function countResponses({ httpObserver }: AppOptions, name: string) {
  return async (context: AppContext, next: () => Promise<void>): Promise<void> => {
    await next();
    httpObserver?.onResponse(name, context.res.status);
  };
}

/** Whether the guard would still accept the same request. */
function isStillAuthorized({ env }: AppContext, { authorize }: AppOptions, { scope }: Route): boolean {
  return "grant" in authorize(readRequestFacts(env.incoming), scope);
}

function authorizeRequests(options: AppOptions, route: Route) {
  return async (context: AppContext, next: () => Promise<void>): Promise<Response | void> => {
    const decision = options.authorize(readRequestFacts(context.env.incoming), route.scope);
    if ("refusal" in decision) return problemResponse(decision.refusal);
    if (isWebSocketUpgrade(context) && !socketPaths.includes(route.path)) {
      return problemResponse(createProblem("invalid-request", "This route has no WebSocket.", 404));
    }
    if (route.scope !== "none") options.onAuthorized?.(context.env.incoming.socket);
    context.set("grant", decision.grant);
    await next();
  };
}

/** Handles any route that calls the interface. The route table has the schemas, so one function can parse them all. */
async function handleCall(
  context: AppContext,
  { fairlead, diffSemaphore }: AppOptions,
  name: BoundRouteName,
  route: Route,
): Promise<Response> {
  const call = {
    session: context.req.param("session") ?? "",
    query: route.query ? parseWithSchema(route.query, context.req.query()) : undefined,
    body: route.body ? readBody(route.body, await context.req.text()) : undefined,
    options: { ...(route.command && readIdempotencyKey(context)), ...describeCaller(context.get("grant")) },
  };
  using slot = name === "diff" && diffSemaphore ? await diffSemaphore.acquire() : { [Symbol.dispose]: () => {} };
  if (slot === null) return problemResponse(createProblem("unavailable", tooManyDiffs, 429));
  const result = await callMethod(fairlead, name, call);
  const acceptedEncodings = context.req.header("accept-encoding");
  return route.reply
    ? await jsonResponse(result, acceptedEncodings)
    : new Response(null, { status: 204, headers: privateHeaders });
}

const tooManyDiffs = "Too many diffs are running. Retry in a second.";

function describeCaller({ id, label, scopes }: Grant): CallerOptions {
  return { caller: { id, label }, approvalsRequired: !scopes.includes("approve") };
}

function readIdempotencyKey(context: AppContext): { key?: string } {
  const key = context.req.header("idempotency-key");
  if (key === undefined) return {};
  if (/^[\x21-\x7e]{1,128}$/.test(key)) return { key };
  throw new FairleadError("invalid-request", "An idempotency key has 1 to 128 visible ASCII characters.");
}

async function handleMetrics({ metrics }: AppOptions): Promise<Response> {
  if (!metrics) return problemResponse(createProblem("invalid-request", "This service has no metrics.", 404));
  return new Response(await metrics(), { headers: { ...privateHeaders, "content-type": "text/plain; version=0.0.4" } });
}

/**
 * Answers that the process runs, and its version. It needs no token and reads no session, so that a probe costs the same with any history.
 * The other checks of the guard apply.
 */
async function handleLiveness(context: AppContext, options: AppOptions): Promise<Response> {
  const decision = options.authorize(readRequestFacts(context.env.incoming), null);
  const refused = "refusal" in decision && ![401, 404].includes(decision.refusal.status);
  return refused ? problemResponse(decision.refusal) : await jsonResponse({ status: "ok", version: options.version });
}

function handleShutdown({ requestShutdown }: AppOptions): Response {
  if (!requestShutdown)
    return problemResponse(createProblem("not-supported", "This service cannot be stopped over HTTP."));
  requestShutdown();
  return new Response(null, { status: 204, headers: privateHeaders });
}

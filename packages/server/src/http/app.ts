import type { IncomingMessage } from "node:http";
import { type Fairlead, problem, problemOf, type Route, routes } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { answerProblem, quiet } from "./answer-problem.ts";
import type { AppOptions } from "./app-options.ts";
import type { AppContext, AppTypes } from "./app-types.ts";
import { bindings, type Call, type CallName } from "./bindings.ts";
import { answerEvents, isUpgrade } from "./events-route.ts";
import type { RequestFacts } from "./guard.ts";
import { accepted, readBody } from "./read-body.ts";

export type App = Hono<AppTypes>;

/** The routes, bound to the interface. */
export function createApp(options: AppOptions): App {
  const app: App = new Hono();
  const tooLarge = bodyLimit({
    maxSize: options.limits.body,
    onError: () => answerProblem(problem("invalid-request", `A body may have ${options.limits.body} bytes.`, 413)),
  });
  for (const [name, route] of Object.entries<Route>(routes)) {
    app.on(route.method, route.path, counting(options, name), admitting(options, route), tooLarge, (context) => {
      if (name === "events") return answerEvents(context, options, () => isAdmitted(context, options, route));
      if (name === "metrics") return answerMetrics(options);
      if (name === "shutdown") return answerShutdown(options);
      return answerCall(context, options, name as CallName, route);
    });
  }
  app.notFound((context) => {
    const verdict = options.admit(factsOf(context.env.incoming), null);
    const told = "refusal" in verdict ? verdict.refusal : problem("invalid-request", "Nothing here.", 404);
    options.watch?.answered("none", told.status);
    return answerProblem(told);
  });
  app.onError((error) => {
    if (!FairleadError.isInstance(error)) options.failed?.(error);
    return answerProblem(problemOf(error));
  });
  return app;
}

function counting({ watch }: AppOptions, name: string) {
  return async (context: AppContext, next: () => Promise<void>): Promise<void> => {
    await next();
    watch?.answered(name, context.res.status);
  };
}

/** Whether the same request would still be let in. */
function isAdmitted({ env }: AppContext, { admit }: AppOptions, { scope }: Route): boolean {
  return "grant" in admit(factsOf(env.incoming), scope);
}

function admitting(options: AppOptions, route: Route) {
  return async (context: AppContext, next: () => Promise<void>): Promise<Response | void> => {
    const verdict = options.admit(factsOf(context.env.incoming), route.scope);
    if ("refusal" in verdict) return answerProblem(verdict.refusal);
    if (isUpgrade(context) && route.path !== routes.events.path) {
      return answerProblem(problem("invalid-request", "There is no WebSocket here.", 404));
    }
    context.set("grant", verdict.grant);
    await next();
  };
}

/** The table says of each route what it takes; so one reading fits them all. */
async function answerCall(
  context: AppContext,
  { fairlead, diffs }: AppOptions,
  name: CallName,
  route: Route,
): Promise<Response> {
  const call = {
    session: context.req.param("session") ?? "",
    query: route.query ? accepted(route.query, context.req.query()) : undefined,
    body: route.body ? readBody(route.body, await context.req.text()) : undefined,
    options: route.command ? { ...keyOf(context), cautious: !mayApprove(context) } : {},
  };
  using place = name === "diff" && diffs ? await diffs.enter() : { [Symbol.dispose]: () => {} };
  if (place === null) return answerProblem(problem("unavailable", crowded, 429));
  const bound = bindings[name] as (fairlead: Fairlead, call: Call<CallName>) => Promise<unknown>;
  const reply = await bound(fairlead, call as Call<CallName>);
  return route.reply ? Response.json(reply, { headers: quiet }) : new Response(null, { status: 204, headers: quiet });
}

const crowded = "Too many want to see what has changed; ask again in a moment.";

function mayApprove(context: AppContext): boolean {
  return context.get("grant").scopes.includes("approve");
}

function keyOf(context: AppContext): { key?: string } {
  const key = context.req.header("idempotency-key");
  if (key === undefined) return {};
  if (/^[\x21-\x7e]{1,128}$/.test(key)) return { key };
  throw new FairleadError("invalid-request", "A key has 1 to 128 visible letters.");
}

async function answerMetrics({ metrics }: AppOptions): Promise<Response> {
  if (!metrics) return answerProblem(problem("invalid-request", "Nothing is measured here.", 404));
  return new Response(await metrics(), { headers: { ...quiet, "content-type": "text/plain; version=0.0.4" } });
}

function answerShutdown({ shutdown }: AppOptions): Response {
  if (!shutdown) return answerProblem(problem("not-supported", "This service does not end on demand."));
  shutdown();
  return new Response(null, { status: 204, headers: quiet });
}

export function factsOf(request: IncomingMessage): RequestFacts {
  const { headers, headersDistinct } = request;
  return {
    target: request.url ?? "",
    hasBody: Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined,
    header: (name) => headersDistinct[name] ?? [],
  };
}

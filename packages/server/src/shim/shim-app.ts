import { createProblem, parseWithSchema, problemFromError } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { upgradeWebSocket } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { WebSocket } from "ws";
import { z } from "zod";
import { jsonResponse, problemResponse } from "../http/responses.ts";
import { readRequestFacts } from "../http/access/read-request-facts.ts";
import type { App } from "../http/app.ts";
import type { AppOptions } from "../http/app-options.ts";
import { readBody } from "../http/read-body.ts";
import { sendFrames } from "../http/streams/send-frames.ts";
import { AgentBrief } from "./agent-brief.ts";
import { ResumeAgentState } from "./agent-state.ts";
import { readShimHealth } from "./shim-health.ts";
import { ResolveRequest } from "./resolution.ts";
import { Shim, type ShimOptions } from "./shim.ts";

export interface ShimAppOptions
  extends ShimOptions, Pick<AppOptions, "authorize" | "limits" | "shutdownSignal" | "onError"> {}

const KillRequest = z.looseObject({ grace: z.boolean().default(true) });
const CheckpointRequest = z.looseObject({ decisionId: z.string().optional() });
/** Context for the agent. A value that is not text is formatted as JSON. */
const ContextInjection = z.looseObject({
  content: z.union([z.string().min(1), z.looseObject({}), z.array(z.unknown())]),
});
/** The changes, either at the top level or in `changes` beside the agent's handle. */
const BriefUpdate = z.looseObject({ changes: z.looseObject({}).optional() });
const EventsQuery = z.looseObject({
  run: z.string().optional(),
  after: z.coerce.number().int().nonnegative().default(0),
});

/** Creates the endpoints of the shim protocol, bound to a shim. */
export function createShimApp(options: ShimAppOptions): App {
  const { fairlead, workspace, authorize, limits } = options;
  const shim = new Shim(options);
  const app: App = new Hono();
  app.use(async (context, next) => {
    const decision = authorize(readRequestFacts(context.env.incoming), "drive");
    return "refusal" in decision ? problemResponse(decision.refusal) : await next();
  });
  app.use(bodyLimit({ maxSize: limits.body, onError: () => problemResponse(bodyTooLarge) }));

  app.get("/health", async () => jsonResponse(await readShimHealth(fairlead, workspace, shim.runs.latest)));
  app.get("/events", (context) => handleEvents(context, shim, options));
  app.post("/spawn", async ({ req }) => jsonResponse(await shim.spawn(readBody(AgentBrief, await req.text()))));
  app.post("/kill", async ({ req }) => jsonResponse(await shim.kill(readBody(KillRequest, await req.text()).grace)));
  app.post("/pause", async () => jsonResponse(await shim.pause()));
  app.post("/resume", async ({ req }) => jsonResponse(await shim.resume(readBody(ResumeAgentState, await req.text()))));
  app.post("/resolve", async ({ req }) => {
    const request = readBody(ResolveRequest, await req.text());
    const { decisionId } = request;
    return (await shim.resolve(request))
      ? jsonResponse({ status: "resolved", decisionId })
      : decisionNotFound(decisionId);
  });
  app.post("/checkpoint", async ({ req }) => {
    const { decisionId } = readBody(CheckpointRequest, await req.text());
    const state = await shim.checkpoint(decisionId);
    return state === null ? decisionNotFound(decisionId) : jsonResponse(state);
  });
  app.post("/inject-context", async ({ req }) => {
    const { content } = readBody(ContextInjection, await req.text());
    await shim.inject(typeof content === "string" ? content : JSON.stringify(content, null, 2));
    return jsonResponse({ status: "accepted" });
  });
  app.post("/update-brief", async ({ req }) => {
    const { changes, ...fields } = readBody(BriefUpdate, await req.text());
    await shim.updateBrief(changes ?? fields);
    return jsonResponse({ status: "accepted" });
  });

  app.notFound(() => problemResponse(createProblem("invalid-request", "No such route.", 404)));
  app.onError((error) => {
    if (!FairleadError.isInstance(error)) options.onError?.(error);
    // The default status of a conflict is for idempotency keys, which this protocol does not have.
    if (FairleadError.is(error, "conflict")) return problemResponse(createProblem("conflict", error.message, 409));
    return problemResponse(problemFromError(error));
  });
  return app;
}

const bodyTooLarge = createProblem("invalid-request", "The body is too large.", 413);

function decisionNotFound(decisionId = ""): Response {
  return problemResponse(createProblem("invalid-request", `Unknown decision ${decisionId}.`, 404));
}

async function handleEvents(
  context: Context,
  { runs }: Shim,
  { limits, shutdownSignal, onError }: ShimAppOptions,
): Promise<Response> {
  const { run, after } = parseWithSchema(EventsQuery, context.req.query());
  const abort = new AbortController();
  const events = runs.events({ run, after, signal: AbortSignal.any([abort.signal, shutdownSignal]) });
  const onOpen = (_: unknown, { raw }: { raw?: unknown }): void => {
    const socket = raw as WebSocket;
    socket.once("close", () => abort.abort());
    sendFrames(socket, events, limits, { shutdownSignal }).catch((error: unknown) => {
      onError?.(error);
      socket.terminate();
    });
  };
  const response = await upgradeWebSocket(() => ({ onOpen }))(context, async () => {});
  return (
    response ?? problemResponse(createProblem("invalid-request", "Events are available only over a WebSocket.", 426))
  );
}

import { problem, problemOf } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { upgradeWebSocket } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { WebSocket } from "ws";
import { z } from "zod";
import { answerProblem } from "../http/answer-problem.ts";
import { type App, factsOf } from "../http/app.ts";
import type { AppOptions } from "../http/app-options.ts";
import { accepted, readBody } from "../http/read-body.ts";
import { sendFrames } from "../http/socket-stream.ts";
import { AgentBrief } from "./agent-brief.ts";
import { GivenState } from "./agent-state.ts";
import { healthOf } from "./health.ts";
import { ResolveRequest } from "./resolution.ts";
import { Shim, type ShimOptions } from "./shim.ts";

export interface ShimAppOptions extends ShimOptions, Pick<AppOptions, "admit" | "limits" | "ending" | "failed"> {}

const KillRequest = z.looseObject({ grace: z.boolean().default(true) });
const CheckpointRequest = z.looseObject({ decisionId: z.string().optional() });
/** Knowledge to be told; what is not text is told as JSON. */
const ContextInjection = z.looseObject({
  content: z.union([z.string().min(1), z.looseObject({}), z.array(z.unknown())]),
});
/** The changes themselves, or the same below `changes` beside the agent's handle. */
const BriefUpdate = z.looseObject({ changes: z.looseObject({}).optional() });
const EventsQuery = z.looseObject({
  run: z.string().optional(),
  after: z.coerce.number().int().nonnegative().default(0),
});

/** The endpoints of the protocol, bound to a shim. */
export function createShimApp(options: ShimAppOptions): App {
  const { fairlead, workspace, admit, limits } = options;
  const shim = new Shim(options);
  const app: App = new Hono();
  app.use(async (context, next) => {
    const verdict = admit(factsOf(context.env.incoming), "drive");
    return "refusal" in verdict ? answerProblem(verdict.refusal) : await next();
  });
  app.use(bodyLimit({ maxSize: limits.body, onError: () => answerProblem(tooLarge) }));

  app.get("/health", async () => reply(await healthOf(fairlead, workspace, shim.runs.last)));
  app.get("/events", (context) => answerEvents(context, shim, options));
  app.post("/spawn", async ({ req }) => reply(await shim.spawn(readBody(AgentBrief, await req.text()))));
  app.post("/kill", async ({ req }) => reply(await shim.kill(readBody(KillRequest, await req.text()).grace)));
  app.post("/pause", async () => reply(await shim.pause()));
  app.post("/resume", async ({ req }) => reply(await shim.resume(readBody(GivenState, await req.text()))));
  app.post("/resolve", async ({ req }) => {
    const request = readBody(ResolveRequest, await req.text());
    const { decisionId } = request;
    return (await shim.resolve(request)) ? reply({ status: "resolved", decisionId }) : noDecision(decisionId);
  });
  app.post("/checkpoint", async ({ req }) => {
    const { decisionId } = readBody(CheckpointRequest, await req.text());
    const state = await shim.checkpoint(decisionId);
    return state === null ? noDecision(decisionId) : reply(state);
  });
  app.post("/inject-context", async ({ req }) => {
    const { content } = readBody(ContextInjection, await req.text());
    await shim.inject(typeof content === "string" ? content : JSON.stringify(content, null, 2));
    return reply({ status: "accepted" });
  });
  app.post("/update-brief", async ({ req }) => {
    const { changes, ...whole } = readBody(BriefUpdate, await req.text());
    await shim.updateBrief(changes ?? whole);
    return reply({ status: "accepted" });
  });

  app.notFound(() => answerProblem(problem("invalid-request", "There is nothing here.", 404)));
  app.onError((error) => {
    if (!FairleadError.isInstance(error)) options.failed?.(error);
    // The usual status of a conflict is about keys of commands, which this protocol does not have.
    if (FairleadError.is(error, "conflict")) return answerProblem(problem("conflict", error.message, 409));
    return answerProblem(problemOf(error));
  });
  return app;
}

const tooLarge = problem("invalid-request", "The body is too large.", 413);

function reply(value: object): Response {
  return Response.json(value, { headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" } });
}

function noDecision(decisionId = ""): Response {
  return answerProblem(problem("invalid-request", `There is no decision ${decisionId}.`, 404));
}

async function answerEvents(
  context: Context,
  { runs }: Shim,
  { limits, ending, failed }: ShimAppOptions,
): Promise<Response> {
  const { run, after } = accepted(EventsQuery, context.req.query());
  const abort = new AbortController();
  const events = runs.events({ run, after, signal: AbortSignal.any([abort.signal, ending]) });
  const onOpen = (_: unknown, { raw }: { raw?: unknown }): void => {
    const socket = raw as WebSocket;
    socket.once("close", () => abort.abort());
    sendFrames(socket, events, limits, ending).catch((error: unknown) => {
      failed?.(error);
      socket.terminate();
    });
  };
  const upgraded = await upgradeWebSocket(() => ({ onOpen }))(context, async () => {});
  return upgraded ?? answerProblem(problem("invalid-request", "Events are told over a WebSocket.", 426));
}

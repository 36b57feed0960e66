import { EventQuery, problem } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { upgradeWebSocket } from "@hono/node-server";
import type { WebSocket } from "ws";
import { answerProblem } from "./answer-problem.ts";
import type { AppOptions } from "./app-options.ts";
import type { AppContext } from "./app-types.ts";
import { eventPage } from "./event-page.ts";
import { eventStream } from "./event-stream.ts";
import { framesOf } from "./frames.ts";
import { accepted } from "./read-body.ts";
import { sendFrames } from "./socket-stream.ts";

/** How long somebody whose token was taken back has to hear of it, in milliseconds. */
const lastWords = 500;

/** The one route with three forms: a WebSocket, server-sent events, or a page. */
export async function answerEvents(
  context: AppContext,
  options: Pick<AppOptions, "fairlead" | "limits" | "ending" | "watch" | "failed" | "vigil">,
  isAdmitted: () => boolean,
): Promise<Response> {
  const { fairlead, limits, ending } = options;
  const session = context.req.param("session") ?? "";
  const { after, limit, deltas } = accepted(EventQuery, context.req.query());
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, ending]);
  /** What goes on for as long as somebody follows; `cut` ends the connection of one who is not to follow any more. */
  const following = (form: "websocket" | "sse", cut: () => void): Disposable => {
    const stack = new DisposableStack();
    stack.use(options.watch?.following(form));
    const end = (): void => {
      abort.abort(new FairleadError("not-allowed", "The token was taken back."));
      setTimeout(cut, lastWords).unref();
    };
    stack.use(options.vigil?.keep(isAdmitted, end));
    return stack;
  };

  if (isUpgrade(context)) {
    const onOpen = (_: unknown, { raw }: { raw?: unknown }): void => {
      const socket = raw as WebSocket;
      const follow = (): Disposable => following("websocket", () => socket.terminate());
      const frames = framesOf(fairlead, { session, after, deltas, signal, following: follow });
      socket.once("close", () => abort.abort());
      sendFrames(socket, frames, limits, ending).catch((error: unknown) => {
        options.failed?.(error);
        socket.terminate();
      });
    };
    const upgraded = await upgradeWebSocket(() => ({ onOpen }))(context, async () => {});
    return upgraded ?? answerProblem(problem("invalid-request", "That is no handshake of a WebSocket.", 426));
  }

  if (context.req.header("accept")?.includes("text/event-stream")) {
    const known = context.req.header("last-event-id");
    const from = known === undefined ? after : accepted(EventQuery, { after: known }).after;
    // Known here, so that a wrong name is a 404 and not a stream with nothing in it.
    await fairlead.session(session);
    const giveUp = (): void => {
      abort.abort();
      context.env.outgoing.destroy();
    };
    const follow = (): Disposable => following("sse", giveUp);
    const frames = framesOf(fairlead, { session, after: from, deltas, signal, following: follow });
    const stream = eventStream(frames, limits, giveUp);
    return new Response(stream, { headers: { "content-type": "text/event-stream", "cache-control": "no-store" } });
  }

  const page = await eventPage(fairlead, session, { after, limit, bytes: limits.page });
  return Response.json(page, { headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" } });
}

/** Whether somebody wants a WebSocket; other upgrades are not offered, and a request for one is one without it. */
export function isUpgrade(context: AppContext): boolean {
  return context.req.header("upgrade")?.toLowerCase() === "websocket";
}

import { EventQuery, createProblem, parseWithSchema } from "@fairlead/api";
import { upgradeWebSocket } from "@hono/node-server";
import type { WebSocket } from "ws";
import { jsonResponse, problemResponse } from "../responses.ts";
import type { AppOptions } from "../app-options.ts";
import type { AppContext } from "../app-types.ts";
import { readEventPage } from "./read-event-page.ts";
import { createSseStream } from "./sse-stream.ts";
import { streamFrames } from "./stream-frames.ts";
import { sendFrames } from "./send-frames.ts";
import { trackFollower } from "./track-follower.ts";

/** Answers the events route in one of its three forms: a WebSocket, server-sent events, or a page. */
export async function handleEvents(
  context: AppContext,
  options: Pick<
    AppOptions,
    "fairlead" | "limits" | "shutdownSignal" | "httpObserver" | "onError" | "revocationWatcher"
  >,
  isStillAuthorized: () => boolean,
): Promise<Response> {
  const { fairlead, limits, shutdownSignal } = options;
  const session = context.req.param("session") ?? "";
  const { after, limit, clip, deltas } = parseWithSchema(EventQuery, context.req.query());
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, shutdownSignal]);
  const { httpObserver, revocationWatcher } = options;
  const startTracking = (form: "websocket" | "sse", disconnect: () => void): Disposable =>
    trackFollower({ form, httpObserver, revocationWatcher, isStillAuthorized, abort, disconnect });

  if (isWebSocketUpgrade(context)) {
    const onOpen = (_: unknown, { raw }: { raw?: unknown }): void => {
      const socket = raw as WebSocket;
      const onStart = (): Disposable => startTracking("websocket", () => socket.terminate());
      const frames = streamFrames(fairlead, { session, after, clip, deltas, signal, onStart });
      socket.once("close", () => abort.abort());
      sendFrames(socket, frames, limits, { shutdownSignal }).catch((error: unknown) => {
        options.onError?.(error);
        socket.terminate();
      });
    };
    const response = await upgradeWebSocket(() => ({ onOpen }))(context, async () => {});
    return response ?? problemResponse(createProblem("invalid-request", "The WebSocket handshake is invalid.", 426));
  }

  if (context.req.header("accept")?.includes("text/event-stream")) {
    const lastEventId = context.req.header("last-event-id");
    const from = lastEventId === undefined ? after : parseWithSchema(EventQuery, { after: lastEventId }).after;
    // Fails here for an unknown session, so that the response is a 404 and not an empty stream.
    await fairlead.session(session);
    const disconnect = (): void => {
      abort.abort();
      context.env.outgoing.destroy();
    };
    const onStart = (): Disposable => startTracking("sse", disconnect);
    const frames = streamFrames(fairlead, { session, after: from, clip, deltas, signal, onStart });
    const stream = createSseStream(frames, limits, disconnect);
    return new Response(stream, { headers: { "content-type": "text/event-stream", "cache-control": "no-store" } });
  }

  const page = await readEventPage(fairlead, session, { after, limit, clip, bytes: limits.page });
  return await jsonResponse(page, context.req.header("accept-encoding"));
}

/** Whether the request asks for a WebSocket. A request for any other upgrade is handled as a plain request. */
export function isWebSocketUpgrade(context: AppContext): boolean {
  return context.req.header("upgrade")?.toLowerCase() === "websocket";
}

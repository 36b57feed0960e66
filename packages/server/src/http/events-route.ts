import { EventQuery } from "@fairlead/api";
import { upgradeWebSocket } from "@hono/node-server";
import type { WebSocket } from "ws";
import type { AppOptions } from "./app-options.ts";
import type { AppContext } from "./app-types.ts";
import { eventPage } from "./event-page.ts";
import { eventStream } from "./event-stream.ts";
import { framesOf } from "./frames.ts";
import { accepted } from "./read-body.ts";
import { sendFrames } from "./socket-stream.ts";

/** The one route with three forms: a WebSocket, server-sent events, or a page. */
export async function answerEvents(
  context: AppContext,
  options: Pick<AppOptions, "fairlead" | "limits" | "ending" | "watch" | "failed">,
): Promise<Response> {
  const { fairlead, limits, ending, watch } = options;
  const session = context.req.param("session") ?? "";
  const { after, limit, deltas } = accepted(EventQuery, context.req.query());
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, ending]);

  if (context.req.header("upgrade") !== undefined) {
    const following = (): Disposable | undefined => watch?.following("websocket");
    const frames = framesOf(fairlead, { session, after, deltas, signal, following });
    const onOpen = (_: unknown, { raw }: { raw?: unknown }): void => {
      const socket = raw as WebSocket;
      socket.once("close", () => abort.abort());
      sendFrames(socket, frames, limits, ending).catch((error: unknown) => {
        options.failed?.(error);
        socket.terminate();
      });
    };
    return (await upgradeWebSocket(() => ({ onOpen }))(context, async () => {})) ?? new Response(null, { status: 426 });
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
    const following = (): Disposable | undefined => watch?.following("sse");
    const frames = framesOf(fairlead, { session, after: from, deltas, signal, following });
    const stream = eventStream(frames, limits, giveUp);
    return new Response(stream, { headers: { "content-type": "text/event-stream", "cache-control": "no-store" } });
  }

  const page = await eventPage(fairlead, session, { after, limit, bytes: limits.page });
  return Response.json(page, { headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" } });
}

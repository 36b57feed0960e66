import {
  createProblem,
  type OverviewFrame,
  type OverviewMessage,
  OverviewQuery,
  parseWithSchema,
  problemFromError,
} from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { upgradeWebSocket } from "@hono/node-server";
import type { WebSocket } from "ws";
import type { AppOptions } from "../app-options.ts";
import type { AppContext } from "../app-types.ts";
import { jsonResponse, problemResponse } from "../responses.ts";
import { encodeOverview } from "./encode-overview.ts";
import { isWebSocketUpgrade } from "./events-route.ts";
import { readCurrentOverview } from "./read-current-overview.ts";
import { sendFrames } from "./send-frames.ts";
import { trackFollower } from "./track-follower.ts";

/** Answers the overview route: a WebSocket that follows, or the current state as one frame. */
export async function handleOverview(
  context: AppContext,
  options: Pick<
    AppOptions,
    "fairlead" | "limits" | "shutdownSignal" | "httpObserver" | "onError" | "revocationWatcher"
  >,
  isStillAuthorized: () => boolean,
): Promise<Response> {
  const { fairlead, limits, shutdownSignal, httpObserver, revocationWatcher } = options;
  const { after } = parseWithSchema(OverviewQuery, context.req.query());
  const position = after === undefined ? {} : { after };
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, shutdownSignal]);
  const read = (): AsyncIterable<OverviewFrame> => fairlead.overview({ ...position, signal });
  if (!isWebSocketUpgrade(context)) {
    // Otherwise the service would read all sessions for a client that has left.
    context.env.outgoing.once("close", () => abort.abort());
    return await jsonResponse(await readCurrentOverview(read()), context.req.header("accept-encoding"));
  }

  const onOpen = (_: unknown, { raw }: { raw?: unknown }): void => {
    const socket = raw as WebSocket;
    const disconnect = (): void => socket.terminate();
    const follower = {
      form: "websocket",
      httpObserver,
      revocationWatcher,
      isStillAuthorized,
      abort,
      disconnect,
    } as const;
    socket.once("close", () => abort.abort());
    const messages = streamMessages(read, signal, () => trackFollower(follower));
    const sendOptions = {
      shutdownSignal,
      encode: encodeOverview,
      compress: true,
      endReason: "The overview has ended.",
    };
    sendFrames(socket, messages, limits, sendOptions).catch((error: unknown) => {
      options.onError?.(error);
      socket.terminate();
    });
  };
  const response = await upgradeWebSocket(() => ({ onOpen }))(context, async () => {});
  return response ?? problemResponse(createProblem("invalid-request", "The WebSocket handshake is invalid.", 426));
}

/** Streams the overview as messages. An error becomes the last one. */
async function* streamMessages(
  read: () => AsyncIterable<OverviewFrame>,
  signal: AbortSignal,
  startTracking: () => Disposable,
): AsyncGenerator<OverviewMessage> {
  using _follower = startTracking();
  try {
    for await (const overview of read()) {
      if (signal.aborted) break;
      yield { overview };
    }
  } catch (error) {
    if (!signal.aborted) yield { problem: problemFromError(error) };
  }
  if (FairleadError.isInstance(signal.reason)) yield { problem: problemFromError(signal.reason) };
}

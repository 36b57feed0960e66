import {
  createProblem,
  type OverviewFrame,
  type OverviewMessage,
  OverviewQuery,
  parseWithSchema,
  problemFromError,
  zeroCounts,
} from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { upgradeWebSocket } from "@hono/node-server";
import type { WebSocket } from "ws";
import type { AppOptions } from "../app-options.ts";
import type { AppContext } from "../app-types.ts";
import { jsonResponse, problemResponse } from "../responses.ts";
import { encodeOverview } from "./encode-overview.ts";
import { isWebSocketUpgrade } from "./events-route.ts";
import { sendFrames } from "./send-frames.ts";

/** How long a client without a valid token has to receive the reason before it is disconnected, in milliseconds. */
const endNoticeDelay = 500;

/** Answers the overview route: a WebSocket that follows, or the current state as one frame. */
export async function handleOverview(
  context: AppContext,
  options: Pick<
    AppOptions,
    "fairlead" | "limits" | "shutdownSignal" | "httpObserver" | "onError" | "revocationWatcher"
  >,
  isStillAuthorized: () => boolean,
): Promise<Response> {
  const { fairlead, limits, shutdownSignal } = options;
  const { after } = parseWithSchema(OverviewQuery, context.req.query());
  const position = after === undefined ? {} : { after };
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, shutdownSignal]);
  const read = (): AsyncIterable<OverviewFrame> => fairlead.overview({ ...position, signal });
  if (!isWebSocketUpgrade(context)) return jsonResponse(await readCurrentState(read()));

  const onOpen = (_: unknown, { raw }: { raw?: unknown }): void => {
    const socket = raw as WebSocket;
    const startTracking = (): Disposable => {
      const stack = new DisposableStack();
      stack.use(options.httpObserver?.onFollow("websocket"));
      const end = (reason: FairleadError): void => {
        abort.abort(reason);
        setTimeout(() => socket.terminate(), endNoticeDelay).unref();
      };
      stack.use(options.revocationWatcher?.watch(isStillAuthorized, end));
      return stack;
    };
    socket.once("close", () => abort.abort());
    const messages = streamMessages(read, signal, startTracking);
    const sendOptions = { shutdownSignal, encode: encodeOverview, compress: true };
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

/** Joins the frames of the current state. */
async function readCurrentState(frames: AsyncIterable<OverviewFrame>): Promise<OverviewFrame> {
  const nothing = { sessions: [], removed: [], decisions: [], closed: [] };
  let state: OverviewFrame = { reset: false, ...nothing, counts: zeroCounts(), caughtUp: false, position: "" };
  for await (const frame of frames) {
    state = {
      ...frame,
      reset: state.reset || frame.reset,
      sessions: [...state.sessions, ...frame.sessions],
      removed: [...state.removed, ...frame.removed],
      decisions: [...state.decisions, ...frame.decisions],
      closed: [...state.closed, ...frame.closed],
    };
    if (frame.caughtUp) break;
  }
  return state;
}

import { closeCodes, type Frame, type Problem } from "@fairlead/api";
import type { WebSocket } from "ws";
import type { Limits } from "../limits.ts";
import { withTimeout } from "../with-timeout.ts";

export interface SendOptions<Message> {
  readonly shutdownSignal: AbortSignal;
  /** Default: as JSON. */
  readonly encode?: (message: Message) => string;
  /**
   * Whether to compress long messages. Not for events: the bytes that wait for a slow reader could no longer be counted, so
   * that the server would read too many of them.
   */
  readonly compress?: boolean;
  /** Says why the stream has ended, if nothing went wrong. Default: the session has ended. */
  readonly endReason?: string;
}

/**
 * Sends frames over a WebSocket with backpressure: while too many bytes are unsent, it reads no more frames. It
 * disconnects a client that stalls for too long. That client can reconnect with the last sequence it received.
 */
export async function sendFrames<Message extends object = Frame>(
  socket: WebSocket,
  frames: AsyncIterable<Message>,
  limits: Pick<Limits, "unsent" | "stall" | "ping">,
  options: SendOptions<Message>,
): Promise<void> {
  const { shutdownSignal, encode = JSON.stringify, compress = false, endReason = "The session has ended." } = options;
  using heartbeat = new Heartbeat(socket, limits.ping);
  for await (const frame of frames) {
    if (socket.readyState !== socket.OPEN) return;
    const isSent = new Promise<boolean>((resolve) => {
      socket.send(encode(frame), { compress }, (error) => resolve(!error));
    });
    if (isProblem(frame)) return socket.close(closeCodes.problem, frame.problem.code);
    if (socket.bufferedAmount <= limits.unsent) continue;
    if (!(await heartbeat.suspendWhile(() => withTimeout(isSent, limits.stall, false)))) return closeSlowReader(socket);
  }
  if (shutdownSignal.aborted) socket.close(1001, "The service is shutting down.");
  else socket.close(1000, endReason);
}

/** The shim sends its own frames, which have no such field. */
function isProblem(frame: object): frame is { readonly problem: Problem } {
  return "problem" in frame;
}

/**
 * The close message is queued behind the unsent data, so the client gets a moment to read it before it is disconnected.
 */
function closeSlowReader(socket: WebSocket): void {
  socket.close(closeCodes.tooSlow, "Too slow. Reconnect after your last sequence.");
  setTimeout(() => socket.terminate(), 5000).unref();
}

/** Ends a connection whose client no longer answers pings, for example after a network failure. */
class Heartbeat implements Disposable {
  readonly #timer: NodeJS.Timeout;
  #hasPong = true;
  #isSuspended = false;

  constructor(socket: WebSocket, interval: number) {
    socket.on("pong", () => (this.#hasPong = true));
    this.#timer = setInterval(() => {
      if (this.#isSuspended) return;
      if (!this.#hasPong) return socket.terminate();
      this.#hasPong = false;
      socket.ping();
    }, interval);
  }

  /** Suspends the heartbeat. A client answers a ping only after it has read the data queued before the ping. */
  async suspendWhile<T>(action: () => Promise<T>): Promise<T> {
    this.#isSuspended = true;
    try {
      return await action();
    } finally {
      this.#isSuspended = false;
      this.#hasPong = true;
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

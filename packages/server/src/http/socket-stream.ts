import { closeCodes, type Frame } from "@fairlead/api";
import type { WebSocket } from "ws";
import type { Limits } from "./limits.ts";
import { within } from "./within.ts";

/**
 * Sends frames over a WebSocket, no faster than they are taken: while too much lies unsent, no more is read. Whoever
 * leaves it lying too long is let go of, and may come back with the number it has got to.
 */
export async function sendFrames(
  socket: WebSocket,
  frames: AsyncIterable<Frame> | AsyncIterable<object>,
  limits: Pick<Limits, "unsent" | "stall" | "ping">,
  ending: AbortSignal,
): Promise<void> {
  using pulse = new Pulse(socket, limits.ping);
  for await (const frame of frames) {
    if (socket.readyState !== socket.OPEN) return;
    const sent = new Promise<boolean>((resolve) => {
      socket.send(JSON.stringify(frame), (error) => resolve(!error));
    });
    if (isProblem(frame)) return socket.close(closeCodes.problem, frame.problem.code);
    if (socket.bufferedAmount <= limits.unsent) continue;
    if (!(await pulse.skipped(() => within(sent, limits.stall, false)))) return letGo(socket);
  }
  if (ending.aborted) socket.close(1001, "The service is ending.");
  else socket.close(1000, "The session is over.");
}

/** Other faces send frames of their own, in which nothing is called so. */
function isProblem(frame: object): frame is Extract<Frame, { problem: unknown }> {
  return "problem" in frame;
}

/** The word of it waits behind all that lies there; after a moment for that, what lies there is given up. */
function letGo(socket: WebSocket): void {
  socket.close(closeCodes.tooSlow, "Too slow: go on from your last number.");
  setTimeout(() => socket.terminate(), 5000).unref();
}

/** Ends a connection whose other side no longer answers, as when its cable was pulled. */
class Pulse implements Disposable {
  readonly #timer: NodeJS.Timeout;
  #answered = true;
  #skipping = false;

  constructor(socket: WebSocket, every: number) {
    socket.on("pong", () => (this.#answered = true));
    this.#timer = setInterval(() => {
      if (this.#skipping) return;
      if (!this.#answered) return socket.terminate();
      this.#answered = false;
      socket.ping();
    }, every);
  }

  /** Somebody who has yet to read what lies before the ping cannot be expected to answer it. */
  async skipped<T>(act: () => Promise<T>): Promise<T> {
    this.#skipping = true;
    try {
      return await act();
    } finally {
      this.#skipping = false;
      this.#answered = true;
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

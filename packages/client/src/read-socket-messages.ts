import { ConnectionLost } from "./connection-lost.ts";

/** The part of the WebSocket interface that browsers and Node share, plus optional flow control. */
export interface SocketLike {
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { code: number; reason: string }) => void): void;
  addEventListener(type: "error", listener: (event: object) => void): void;
  addEventListener(type: "open", listener: () => void): void;
  readonly readyState: number;
  send(text: string): void;
  close(): void;
  /** Only in Node, where the reader can slow down the sender. */
  pause?(): void;
  resume?(): void;
}

/** The maximum number of messages that wait for the reader. */
const maxQueuedMessages = 1000;

/**
 * Yields the messages of a WebSocket in order. If the reader falls behind, it pauses the socket. A socket without flow
 * control is closed instead: a reader that reconnects after its last sequence misses nothing.
 */
export async function* readSocketMessages(socket: SocketLike, signal: AbortSignal): AsyncGenerator<string> {
  const queue: string[] = [];
  let closeEvent: { code: number; reason: string } | null = null;
  let isDone = false;
  let arrival = Promise.withResolvers<void>();
  const close = (): void => socket.close();
  socket.addEventListener("message", ({ data }) => {
    if (isDone) return;
    queue.push(String(data));
    arrival.resolve();
    if (queue.length < maxQueuedMessages) return;
    if (socket.pause) socket.pause();
    else socket.close();
  });
  socket.addEventListener("close", (event) => {
    closeEvent = event;
    arrival.resolve();
  });
  socket.addEventListener("error", () => {}); // the close event that follows has the details
  signal.addEventListener("abort", close);
  try {
    if (signal.aborted) return;
    for (;;) {
      const message = queue.shift();
      if (message !== undefined) {
        if (queue.length === 0) socket.resume?.();
        yield message;
      } else if (closeEvent) {
        return throwUnlessNormalClosure(closeEvent, signal);
      } else {
        arrival = Promise.withResolvers();
        await arrival.promise;
      }
    }
  } finally {
    isDone = true;
    signal.removeEventListener("abort", close);
    socket.resume?.(); // a paused socket would never receive the close frame of the service
    socket.close();
  }
}

const normalClosure = 1000;

function throwUnlessNormalClosure({ code, reason }: { code: number; reason: string }, signal: AbortSignal): void {
  if (code !== normalClosure && !signal.aborted)
    throw new ConnectionLost(`The connection was closed: ${code} ${reason}`.trim());
}

/** Sends a message, as soon as the socket is open. Drops it if the socket is closing. */
export function sendSocketMessage(socket: SocketLike, text: string): void {
  if (socket.readyState === WebSocket.CONNECTING) socket.addEventListener("open", () => socket.send(text));
  else if (socket.readyState === WebSocket.OPEN) socket.send(text);
}

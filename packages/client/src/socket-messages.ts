import { ConnectionLost } from "./connection-lost.ts";

/** What is used of a WebSocket, in a browser and in Node alike. */
export interface SocketLike {
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { code: number; reason: string }) => void): void;
  addEventListener(type: "error", listener: (event: object) => void): void;
  close(): void;
  /** Only where the reader can hold the sender back. */
  pause?(): void;
  resume?(): void;
}

/** How many messages may wait for the reader. */
const most = 1000;

/**
 * The messages of a WebSocket, in order. A reader that falls behind holds the sender back; where that is not possible
 * the connection is given up instead, since whoever comes back by number loses nothing.
 */
export async function* socketMessages(socket: SocketLike, signal: AbortSignal): AsyncGenerator<string> {
  const waiting: string[] = [];
  let end: { code: number; reason: string } | null = null;
  let done = false;
  let wake = Promise.withResolvers<void>();
  const close = (): void => socket.close();
  socket.addEventListener("message", ({ data }) => {
    if (done) return;
    waiting.push(String(data));
    wake.resolve();
    if (waiting.length < most) return;
    if (socket.pause) socket.pause();
    else socket.close();
  });
  socket.addEventListener("close", (event) => {
    end = event;
    wake.resolve();
  });
  socket.addEventListener("error", () => {}); // a close follows, and says more
  signal.addEventListener("abort", close);
  try {
    if (signal.aborted) return;
    for (;;) {
      const message = waiting.shift();
      if (message !== undefined) {
        if (waiting.length === 0) socket.resume?.();
        yield message;
      } else if (end) {
        return finish(end, signal);
      } else {
        wake = Promise.withResolvers();
        await wake.promise;
      }
    }
  } finally {
    done = true;
    signal.removeEventListener("abort", close);
    socket.resume?.(); // or it would never hear the other side's good-bye
    socket.close();
  }
}

const normal = 1000;

function finish({ code, reason }: { code: number; reason: string }, signal: AbortSignal): void {
  if (code !== normal && !signal.aborted)
    throw new ConnectionLost(`The connection was closed: ${code} ${reason}`.trim());
}

import type { Frame } from "@fairlead/api";
import type { Limits } from "../limits.ts";
import { withTimeout } from "../with-timeout.ts";

/**
 * Creates a stream of server-sent events from frames. The stream reads a frame only when the reader pulls. If the
 * reader does not pull in time, the stream breaks off, and a browser reconnects automatically with the last sequence.
 */
export function createSseStream(
  frames: AsyncGenerator<Frame>,
  limits: Pick<Limits, "stall" | "ping">,
  disconnect: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  // Disconnects the reader and also ends a generator that waits between two frames.
  const stop = (): void => {
    clearTimeout(stallTimer);
    disconnect();
    void frames.return(undefined);
  };
  let stallTimer: NodeJS.Timeout | undefined;
  let next: Promise<IteratorResult<Frame>> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stallTimer);
        next ??= frames.next();
        const result = await withTimeout(next, limits.ping, "timeout" as const);
        if (result === "timeout") {
          // Sends a comment, so that a lost connection is detected.
          controller.enqueue(encoder.encode(":\n\n"));
        } else if (result.done) {
          return controller.close();
        } else {
          next = undefined;
          controller.enqueue(encoder.encode(formatSseMessage(result.value)));
        }
        stallTimer = setTimeout(stop, limits.stall);
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
}

/** Only events get an id, so a browser's `Last-Event-ID` is always the sequence of an event. */
function formatSseMessage(frame: Frame): string {
  const id = "event" in frame ? `id: ${frame.event.sequence}\n` : "";
  return `${id}data: ${JSON.stringify(frame)}\n\n`;
}

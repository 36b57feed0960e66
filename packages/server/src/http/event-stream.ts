import type { Frame } from "@fairlead/api";
import type { Limits } from "./limits.ts";
import { within } from "./within.ts";

/**
 * Frames as server-sent events. Nothing is read before it is asked for; a reader that does not ask for more in time
 * finds the stream broken off, and its browser comes back by itself with the last number.
 */
export function eventStream(
  frames: AsyncGenerator<Frame>,
  limits: Pick<Limits, "stall" | "ping">,
  giveUp: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  // Whoever reads is told to stop, and one that waits between two frames is not left waiting.
  const end = (): void => {
    clearTimeout(waiting);
    giveUp();
    void frames.return(undefined);
  };
  let waiting: NodeJS.Timeout | undefined;
  let next: Promise<IteratorResult<Frame>> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(waiting);
        next ??= frames.next();
        const result = await within(next, limits.ping, "quiet" as const);
        if (result === "quiet") {
          // A comment, so that a connection that is gone is noticed.
          controller.enqueue(encoder.encode(":\n\n"));
        } else if (result.done) {
          return controller.close();
        } else {
          next = undefined;
          controller.enqueue(encoder.encode(messageOf(result.value)));
        }
        waiting = setTimeout(end, limits.stall);
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

/** Only events have numbers; so a browser's `Last-Event-ID` is always the number of an event. */
function messageOf(frame: Frame): string {
  const id = "event" in frame ? `id: ${frame.event.sequence}\n` : "";
  return `${id}data: ${JSON.stringify(frame)}\n\n`;
}

import type { Duplex } from "node:stream";

/** Copies both ways until both ends have ended, or one fails. Either end may end first, as a shell's pipe does. */
export function spliceSockets(one: Duplex, other: Duplex): void {
  const destroyBoth = (): void => {
    one.destroy();
    other.destroy();
  };
  for (const socket of [one, other]) {
    socket.on("error", destroyBoth);
    // `close` without `end` is an aborted connection. After both ends, it has no effect.
    socket.on("close", () => {
      if (!socket.readableEnded || !socket.writableFinished) destroyBoth();
    });
  }
  one.pipe(other);
  other.pipe(one);
}

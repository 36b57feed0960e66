import { Socket } from "node:net";
import type { Duplex } from "node:stream";

/**
 * Ends a connection whose target could not be reached. An agent then sees a failing network, as it would without a gate. It
 * would take an answer with a status for one of its service.
 */
export function resetConnection(socket: Duplex | null): void {
  if (socket instanceof Socket) socket.resetAndDestroy();
  else socket?.destroy();
}

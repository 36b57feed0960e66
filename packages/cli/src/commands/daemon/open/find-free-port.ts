import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

/** The port of the examples, so that the address of the page is usually the same. */
const usualPort = 4747;

/**
 * Finds a free port of 127.0.0.1. A daemon that replaces another one listens at the same number, so that pages stay where
 * they are. With the port 0, each one would have another number.
 */
export async function findFreePort(): Promise<number> {
  for (const port of [usualPort, 0]) {
    const server = createServer();
    try {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    } catch {
      // Another process has the port.
    } finally {
      server.close();
    }
  }
  return 0;
}

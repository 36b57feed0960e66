import { once } from "node:events";
import { createServer } from "node:net";
import type { SeededRandom } from "../../measure/seeded-random.ts";

/**
 * Finds a free port below those that the kernel gives to outgoing connections: one of these could take the port while the
 * gateway is dead.
 */
export async function findStablePort(random: SeededRandom): Promise<number> {
  for (;;) {
    const port = 20_000 + random.nextBelow(10_000);
    const server = createServer();
    try {
      await once(server.listen(port, "127.0.0.1"), "listening");
    } catch {
      continue;
    }
    await once(server.close(), "close");
    return port;
  }
}

import { createServer, type Server } from "node:net";

/** Listens on the loopback. Returns null if the port cannot be used, as those below 1024. */
export function listenInside(port: number): Promise<Server | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

/** Listens at each port that can be used, and passes the sockets to the keeper. */
export async function passForwards(ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    const server = await listenInside(port);
    if (server !== null) await passListener({ forward: port }, server);
  }
}

/** Listens at a port that is free, and passes the socket to the keeper as that of the proxy. */
export async function passProxy(): Promise<void> {
  const proxy = await listenInside(0);
  const address = proxy?.address();
  if (!proxy || !address || typeof address !== "object") process.exit(1);
  await passListener({ proxy: address.port }, proxy);
}

/** Closes the socket here, because both processes would accept connections. */
async function passListener(message: object, server: Server): Promise<void> {
  await new Promise<void>((resolve) => process.send?.(message, server, {}, () => resolve()));
  server.close();
}

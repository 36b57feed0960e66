import { createSocket } from "node:dgram";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer, type ListenOptions } from "node:net";

/** A server that greets each client with a secret. */
export interface SecretServer extends AsyncDisposable {
  /** 0 if it does not listen at a port. */
  readonly port: number;
}

/** Listens at a port, or at a socket. A path that begins with a zero byte is an abstract socket. */
export async function serveSecret(secret: string, options: ListenOptions): Promise<SecretServer> {
  if (options.path?.startsWith("/") === true) rmSync(options.path, { force: true });
  const server = createServer((socket) => socket.on("error", () => {}).end(`${secret}\n`)).listen(options);
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}

/** Receives datagrams at a port of loopback. */
export async function receiveDatagrams(onDatagram: () => void): Promise<SecretServer> {
  const socket = createSocket("udp4", onDatagram).bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    port: socket.address().port,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, "close");
    },
  };
}

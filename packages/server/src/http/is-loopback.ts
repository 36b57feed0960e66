import { isIPv4 } from "node:net";

/** Whether an address to listen on is reached only from the same machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

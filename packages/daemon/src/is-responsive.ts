import { request } from "node:http";

const defaultTimeout = 10_000;

/**
 * Whether the daemon at a socket responds to requests. A suspended or overloaded daemon still accepts connections, and a
 * request to it would wait without a limit. A daemon that has exited counts as responsive: the next request reports it.
 */
export function isResponsive(socketPath: string, timeout = defaultTimeout): Promise<boolean> {
  return new Promise((resolve) => {
    const healthRequest = request({ socketPath, path: "/v1/health", agent: false, timeout });
    healthRequest.once("response", (response) => {
      response.destroy();
      resolve(true);
    });
    healthRequest.once("timeout", () => {
      resolve(false);
      healthRequest.destroy();
    });
    healthRequest.once("error", () => resolve(true));
    healthRequest.end();
  });
}

import { request } from "node:http";

const defaultTimeout = 10_000;

/**
 * Whether the daemon at a socket responds to requests. A suspended or overloaded daemon still accepts connections, and a
 * request to it would wait without a limit. A daemon that has exited counts as responsive: the next request reports it. The request reads no session, so that a large
 * history does not make the daemon look unresponsive.
 */
export function isResponsive(socketPath: string, timeout = defaultTimeout): Promise<boolean> {
  return new Promise((resolve) => {
    const livenessRequest = request({ socketPath, path: "/healthz", agent: false, timeout });
    livenessRequest.once("response", (response) => {
      response.destroy();
      resolve(true);
    });
    livenessRequest.once("timeout", () => {
      resolve(false);
      livenessRequest.destroy();
    });
    livenessRequest.once("error", () => resolve(true));
    livenessRequest.end();
  });
}

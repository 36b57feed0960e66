import { request } from "node:http";

const usualPatience = 10_000;

/**
 * Whether the daemon at a socket answers, rather than just listens: one that is stopped or stuck still listens, and who
 * asked it anything would wait for ever. One that is gone by now is not our concern: whoever asks it next is told so.
 */
export function responds(socketPath: string, patience = usualPatience): Promise<boolean> {
  return new Promise((resolve) => {
    const asking = request({ socketPath, path: "/v1/health", agent: false, timeout: patience });
    asking.once("response", (response) => {
      response.destroy();
      resolve(true);
    });
    asking.once("timeout", () => {
      resolve(false);
      asking.destroy();
    });
    asking.once("error", () => resolve(true));
    asking.end();
  });
}

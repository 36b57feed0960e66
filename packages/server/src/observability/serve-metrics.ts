import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { FairleadError } from "@fairlead/contract";
import { isLoopback } from "../http/is-loopback.ts";

export interface ServeMetricsOptions {
  /** An address of loopback: callers need no token. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Renders the metrics in Prometheus' format. */
  readonly metrics: () => Promise<string>;
  /** Returns why the process should get no work now, or undefined if it is ready. */
  readonly findReasonNotReady: () => string | undefined;
  readonly onError: (error: unknown) => void;
}

export interface MetricsService extends AsyncDisposable {
  readonly url: string;
}

/**
 * Serves metrics at `/v1/metrics`, and the probes of container platforms: `/livez` answers as long as the process runs its
 * event loop, and `/readyz` says whether it is ready. Nothing that it serves names a session or has text of an agent.
 */
export async function serveMetrics(options: ServeMetricsOptions): Promise<MetricsService> {
  const { listen, metrics, findReasonNotReady, onError } = options;
  if (!isLoopback(listen.host)) {
    const message = `Metrics are served without a token, so only on loopback, and ${listen.host} is another address.`;
    throw new FairleadError("invalid-settings", `${message} Use 127.0.0.1.`);
  }
  const respond = async (method: string, path: string): Promise<readonly [number, string]> => {
    if (method !== "GET") return [405, "Only GET is served.\n"];
    if (path === "/livez") return [200, "ok\n"];
    if (path === "/v1/metrics") return [200, await metrics()];
    if (path !== "/readyz") return [404, "There is /v1/metrics, /livez and /readyz.\n"];
    const reason = findReasonNotReady();
    return reason === undefined ? [200, "ok\n"] : [503, `${reason}\n`];
  };
  const server = createServer((request, response) => {
    // A page in a browser of this machine could otherwise read the metrics under a name that leads to loopback.
    const host = (request.headers.host ?? "").replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
    const isLocal = host === "localhost" || isLoopback(host);
    const answer = isLocal
      ? respond(request.method ?? "", (request.url ?? "").split("?")[0] ?? "")
      : Promise.resolve([421, "This address is served to its own machine.\n"] as const);
    answer
      .catch((error: unknown) => {
        onError(error);
        return [500, "The metrics cannot be rendered.\n"] as const;
      })
      .then(([status, body]) => {
        response
          .writeHead(status, { "content-type": "text/plain; version=0.0.4", "cache-control": "no-store" })
          .end(body);
      })
      .catch(onError);
  });
  server.listen(listen.port, listen.host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const name = listen.host.includes(":") ? `[${listen.host}]` : listen.host;
  return {
    url: `http://${name}:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

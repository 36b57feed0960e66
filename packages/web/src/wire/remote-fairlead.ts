import { browserTransport, RemoteFairlead, type RemoteFairleadOptions } from "@fairlead/client";
import { LiveOverview } from "./live-overview.ts";
import { reconnectingTransport } from "./reconnecting-transport.ts";

/** The clients of one page. */
export interface PageClients {
  readonly fairlead: RemoteFairlead;
  /** Reports a lost connection at once. */
  readonly withoutRetries: RemoteFairlead;
  readonly live: LiveOverview;
  /** Keeps `live` current until the signal aborts. */
  readonly follow: (signal: AbortSignal) => Promise<void>;
}

/** Creates the clients of the service that served the page. */
export function createPageClients(token: string): PageClients {
  const live = new LiveOverview();
  const transport = browserTransport(location.origin, token);
  const reconnecting = reconnectingTransport(transport, () => live.reconnected);
  const once: RemoteFairleadOptions = { retryTimeoutMs: 0 };
  const ofOverview = new RemoteFairlead(transport, once);
  return {
    fairlead: new RemoteFairlead(reconnecting),
    withoutRetries: new RemoteFairlead(reconnecting, once),
    live,
    follow: (signal) => live.follow(ofOverview, signal),
  };
}

import { browserTransport, RemoteFairlead, type RemoteFairleadOptions } from "@fairlead/client";
import { LiveOverview } from "./live-overview.ts";
import { reconnectingTransport } from "./reconnecting-transport.ts";

/** The clients of one page. */
export interface PageClients {
  readonly fairlead: RemoteFairlead;
  /** Reports a lost connection at once. */
  readonly withoutRetries: RemoteFairlead;
  readonly live: LiveOverview;
  readonly token: string;
  /** Keeps `live` current, from the first call on until a function that it has returned is called. */
  readonly follow: () => () => void;
}

/** Creates the clients of the service that served the page. */
export function createPageClients(token: string): PageClients {
  const live = new LiveOverview();
  const transport = browserTransport(location.origin, token);
  const reconnecting = reconnectingTransport(transport, () => live.reconnected);
  const once: RemoteFairleadOptions = { retryTimeoutMs: 0 };
  const ofOverview = new RemoteFairlead(transport, once);
  const leaving = new AbortController();
  let following: Promise<void> | null = null;
  return {
    token,
    fairlead: new RemoteFairlead(reconnecting),
    withoutRetries: new RemoteFairlead(reconnecting, once),
    live,
    follow: () => {
      following ??= live.follow(ofOverview, leaving.signal);
      return () => leaving.abort();
    },
  };
}

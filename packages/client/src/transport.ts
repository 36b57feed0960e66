/** An HTTP request. */
export interface TransportRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** A connection to a service from a browser, over TCP or over a Unix socket. It has the address and the credentials. */
export interface Transport {
  /** Sends a request and returns the response with any status. Throws `ConnectionLost` if there is no response. */
  fetch(path: string, request: TransportRequest): Promise<Response>;
  /**
   * Opens a WebSocket and yields its messages. Returns when the service closes it normally. Throws `ConnectionLost` if the
   * connection fails, and a `FairleadError` if the service rejects it.
   */
  open(path: string, signal: AbortSignal): AsyncIterable<string>;
}

/** An HTTP request. */
export interface TransportRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** A WebSocket with messages in both directions. */
export interface SocketConnection {
  /** As those of `Transport.open`. The socket closes when the iteration ends. */
  readonly messages: AsyncIterable<string>;
  /** Sends a message when the socket is open. A message after its end is dropped. */
  send(text: string): void;
}

/** A connection to a service from a browser, over TCP or over a Unix socket. It has the address and the credentials. */
export interface Transport {
  /**
   * Sends a request and returns the response. Throws `ConnectionLost` if there is no response, and a `FairleadError` if
   * another attempt would fail in the same way, as with a certificate that is not trusted.
   */
  fetch(path: string, request: TransportRequest): Promise<Response>;
  /**
   * Opens a WebSocket and yields its messages. Returns when the service closes it normally. Throws `ConnectionLost` if the
   * connection fails, `ServiceUnavailable` if the service answers that it is unavailable for now, and a `FairleadError` if it
   * rejects the connection.
   */
  open(path: string, signal: AbortSignal): AsyncIterable<string>;
  /** Opens a WebSocket over which the client sends messages, too. */
  connect(path: string, signal: AbortSignal): SocketConnection;
}

/** What goes out. */
export interface WireRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** The way to a service: in a browser, over a port, over a socket. It knows where the service is and who asks. */
export interface Wire {
  /** Asks, and gives the answer, whatever its status. Throws `ConnectionLost` when there is none. */
  fetch(path: string, request: WireRequest): Promise<Response>;
  /**
   * Opens a WebSocket and gives what comes over it. It ends when the service says that this was all, throws
   * `ConnectionLost` when it breaks, and a `FairleadError` when the service refuses it.
   */
  open(path: string, signal: AbortSignal): AsyncIterable<string>;
}

/** Observes requests to the service. It receives the name of the route, never the content of the request. */
export interface HttpObserver {
  /** Reports an answered request. The name of an unknown route is `none`. */
  onResponse(route: string, status: number): void;
  /** Reports a follower of a session, until the returned resource is disposed. */
  onFollow(by: "websocket" | "sse"): Disposable;
}

/** Somebody who is told what callers ask of the service, by the route's name alone: never by what they sent. */
export interface HttpWatch {
  /** `none` is the name of a route that there is not. */
  answered(route: string, status: number): void;
  /** Somebody follows a session, until disposed of. */
  following(by: "websocket" | "sse"): Disposable;
}

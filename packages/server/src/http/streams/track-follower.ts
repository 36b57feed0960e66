import type { FairleadError } from "@fairlead/contract";
import type { HttpObserver } from "../../observability/http-observer.ts";
import type { RevocationWatcher } from "../access/revocation-watcher.ts";

/** How long a client without a valid token has to receive the reason before it is disconnected, in milliseconds. */
const endNoticeDelay = 500;

export interface FollowerOptions {
  readonly form: "websocket" | "sse";
  readonly httpObserver?: HttpObserver | undefined;
  readonly revocationWatcher?: RevocationWatcher | undefined;
  readonly isStillAuthorized: () => boolean;
  /** Ends the stream. Its reason is the last message. */
  readonly abort: AbortController;
  /** Disconnects a client that does not read that message. */
  readonly disconnect: () => void;
}

/** Counts a follower of a stream, and ends the stream when the token of the follower is no longer valid. */
export function trackFollower(options: FollowerOptions): Disposable {
  const stack = new DisposableStack();
  stack.use(options.httpObserver?.onFollow(options.form));
  const end = (reason: FairleadError): void => {
    options.abort.abort(reason);
    setTimeout(options.disconnect, endNoticeDelay).unref();
  };
  stack.use(options.revocationWatcher?.watch(options.isStillAuthorized, end));
  return stack;
}

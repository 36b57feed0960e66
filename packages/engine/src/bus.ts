import type { Delta } from "@fairlead/contract";

/** A request to the host that drives a session. */
export interface BusCall {
  readonly method: string;
  /** Any value that JSON can represent, or undefined. Neither side may change it after the call. */
  readonly params: unknown;
}

/**
 * Carries requests and live output between the processes that serve clients and the host that drives a session. Any text
 * may name a session. On a closed engine, all methods except `publish` throw `unavailable`.
 */
export interface Bus {
  /**
   * Answers the calls to a session. When the promise resolves, calls of all processes reach `answer`. Each call begins when
   * it arrives, also while others wait for their replies. A reply is any value that JSON can represent, or undefined.
   *
   * Where several hosts serve a session, only the one with the highest epoch gets new calls, in whichever order they began.
   *
   * An error that `answer` throws reaches the caller: a `FairleadError` with its code and message, every other error as
   * `indeterminate` and without its text, which may contain secrets.
   *
   * Disposing the result ends the service: new calls do not reach `answer`, and the disposal waits for the replies to those
   * that have begun. So `answer` must not wait for it.
   */
  serve(session: string, epoch: number, answer: (call: BusCall) => Promise<unknown>): Promise<AsyncDisposable>;

  /**
   * Calls the host that serves a session, and returns its reply.
   *
   * - Throws `unavailable` at once if no host serves the session. The call has had no effect.
   * - Throws `indeterminate` if the host, or this engine, ends before the reply, or if a host may have received the call and
   *   does not answer: the call may have had its effect.
   * - Throws the signal's reason when it aborts. The host is not stopped: a call that has begun continues there.
   */
  call(session: string, call: BusCall, signal: AbortSignal): Promise<unknown>;

  /**
   * Sends live output to the current subscribers, with all fields of the given object. It is not stored, never waits for a
   * subscriber and never throws.
   */
  publish(session: string, delta: Delta): void;

  /**
   * Yields the live output from now on, in the order in which a host published it. A subscriber that reads too slowly misses
   * some of it, so that its queue stays small. The iteration returns only when the signal aborts.
   */
  subscribe(session: string, signal: AbortSignal): AsyncIterable<Delta>;
}

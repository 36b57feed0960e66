import type { ObservedChange } from "@fairlead/contract";

/** The calls of one session, each with the time in which it could change files. */
export class CallWindows {
  /** When each call ended; null while it is open. */
  readonly #ends = new Map<string, number | null>();

  open(call: string): void {
    this.#ends.set(call, null);
  }

  /** Closes a call. One that was denied never ran. */
  close(call: string, isDenied: boolean, now: number): void {
    if (isDenied) this.#ends.delete(call);
    else if (this.#ends.has(call)) this.#ends.set(call, now);
  }

  /** Attributes what changed since a time: to the only call that was open since, or to the session if there were several. */
  attribute(since: number): Pick<ObservedChange, "attribution" | "call"> {
    const calls = [...this.#ends].filter(([, end]) => end === null || end > since).map(([call]) => call);
    const [call] = calls;
    if (call === undefined) return { attribution: "unknown" };
    return calls.length === 1 ? { attribution: "call", call } : { attribution: "session" };
  }

  /** Forgets the calls that ended before a time. */
  forgetBefore(time: number): void {
    for (const [call, end] of this.#ends) if (end !== null && end <= time) this.#ends.delete(call);
  }
}

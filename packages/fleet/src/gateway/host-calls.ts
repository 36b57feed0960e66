import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type MethodRouteName, type Route, routes } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { hostOf, type Engine } from "@fairlead/engine";
import { hostAddress } from "../host-address.ts";
import { encodeCall, readReply, type MethodCall, type SentOptions } from "../method-call.ts";

export interface HostCallsOptions {
  readonly engine: Pick<Engine, "bus" | "log" | "hosts">;
  /** Returns the owner of a session: the newest in the log, or that of the row if the log cannot be read. */
  readonly ownerOf: (session: string) => Promise<string>;
  /** Moves a session whose host is lost to another host. Resolves when one has it, or none takes it. */
  readonly moveLost: (session: string) => Promise<unknown>;
  /** Milliseconds that a command waits for a host that does not answer: it may restart. */
  readonly patience: number;
}

const pause = 250;

/** Calls methods of `Fairlead` on the hosts of a fleet. */
export class HostCalls {
  readonly #options: HostCallsOptions;

  constructor(options: HostCallsOptions) {
    this.#options = options;
  }

  /**
   * Calls a method on the host that has a session: the one that drives it, or else the one that drove it last. Throws
   * `unavailable` if no host answers; the call has had no effect then. A command that a host may have begun is repeated with its
   * key, by which the host that has the session by then knows whether it was executed. One without a key gets a key here.
   */
  async callSession(session: string, call: MethodCall, signal: AbortSignal): Promise<unknown> {
    return readReply(await this.#callUntilKnown(session, withKey(call), signal));
  }

  /** Repeats a call while it is unknown whether it was executed: its session moves, or its host was lost. */
  async #callUntilKnown(session: string, call: MethodCall, signal: AbortSignal): Promise<unknown> {
    let unknown: { readonly error: unknown; readonly end: number } | undefined;
    for (;;) {
      try {
        return await this.#callUntilBegun(session, call, signal);
      } catch (error) {
        if (unknown !== undefined && FairleadError.is(error, "unavailable")) throw unknown.error;
        if (!FairleadError.is(error, "indeterminate") || !routes[call.method].retriable) throw error;
        unknown ??= { error, end: performance.now() + this.#patienceWith(call) };
        if (performance.now() >= unknown.end) throw error;
      }
      await delay(pause, undefined, { signal });
    }
  }

  async #callUntilBegun(session: string, call: MethodCall, signal: AbortSignal): Promise<unknown> {
    const { engine, ownerOf } = this.#options;
    const patience = this.#patienceWith(call);
    const { bus } = engine;
    const encoded = encodeCall(call);
    const end = performance.now() + patience;
    for (;;) {
      try {
        return await bus.call(session, encoded, signal);
      } catch (error) {
        if (!FairleadError.is(error, "unavailable")) throw error;
      }
      // No host drives it: it has ended, is paused, or its host restarts.
      const owner = await ownerOf(session);
      const host = hostOf(owner);
      try {
        if (host !== undefined) return await bus.call(hostAddress(host), encoded, signal);
      } catch (error) {
        if (!FairleadError.is(error, "unavailable")) throw error;
      }
      // One that is paused is moved when a client needs it.
      if (patience > 0 && !(await engine.hosts.isAlive(owner))) void this.#options.moveLost(session).catch(() => {});
      // Also for a host that is not in the fleet now: one that restarts has left, and joins again.
      if (performance.now() >= end) throw hostUnavailable(session, host, await engine.hosts.isAlive(owner));
      await delay(pause, undefined, { signal });
    }
  }

  #patienceWith({ method }: MethodCall): number {
    // The index answers the question for a session at once, and nothing else the commands.
    return method === "session" ? 0 : this.#options.patience;
  }

  /** Calls a method without a session on one host. */
  async callHost(host: string, method: MethodRouteName, signal: AbortSignal, options?: SentOptions): Promise<unknown> {
    const call = encodeCall({ method, args: [], ...(options && { options }) });
    return readReply(await this.#options.engine.bus.call(hostAddress(host), call, signal));
  }
}

/** Returns a command with a key, which it keeps when it is repeated. What is no command stays: its host stores nothing of it. */
function withKey(call: MethodCall): MethodCall {
  const { command }: Route = routes[call.method];
  if (!command || call.options?.key !== undefined) return call;
  return { ...call, options: { ...call.options, key: randomUUID() } };
}

function hostUnavailable(session: string, host: string | undefined, isAlive: boolean): FairleadError {
  const name = host === undefined ? "Its host" : `Its host ${host}`;
  const reason = isAlive
    ? `${name} does not answer: try again, or look at its log.`
    : `${name} is not in the fleet now: start it again on its machine with \`fairlead host join\`.`;
  return new FairleadError("unavailable", `Session ${session} cannot be reached. ${reason} Its events can be read.`);
}

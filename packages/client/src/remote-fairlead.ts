import type {
  AgentView,
  Checkpoint,
  CommandOptions,
  DecisionView,
  Diff,
  Fairlead,
  FileView,
  Fork,
  Health,
  ReadingOptions,
  ReplyOf,
  Resume,
  RouteName,
  SessionView,
  Start,
  UsageView,
} from "@fairlead/api";
import type { Answer, Delta, Event, TerminalSize } from "@fairlead/contract";
import { call, type Calling } from "./call.ts";
import { follow } from "./follow.ts";
import { Patience } from "./patience.ts";
import type { Wire } from "./wire.ts";

export interface RemoteOptions {
  /** For how long to try again when the service cannot be reached, in milliseconds; 0 to give up at once. */
  readonly patience?: number;
}

/** The service, somewhere else. */
export class RemoteFairlead implements Fairlead {
  readonly #wire: Wire;
  readonly #patience: number;

  constructor(wire: Wire, { patience = 15_000 }: RemoteOptions = {}) {
    this.#wire = wire;
    this.#patience = patience;
  }

  health(): Promise<Health> {
    return this.#call("health");
  }

  agents(): Promise<readonly AgentView[]> {
    return this.#call("agents");
  }

  start(order: Start, options?: CommandOptions): Promise<SessionView> {
    return this.#call("start", { body: order, ...options });
  }

  sessions(): Promise<readonly SessionView[]> {
    return this.#call("sessions");
  }

  session(session: string): Promise<SessionView> {
    return this.#call("session", { session });
  }

  async *events(session: string, options: ReadingOptions = {}): AsyncGenerator<Event | Delta> {
    const { after = 0, deltas = false, signal = new AbortController().signal } = options;
    if (options.follow) {
      yield* follow(this.#wire, new Patience(this.#patience), session, { after, deltas, signal });
      return;
    }
    let next: number | null = after;
    while (next !== null && !signal.aborted) {
      const page: ReplyOf<"events"> = await this.#call("events", { session, query: { after: String(next) } });
      yield* page.events;
      next = page.next;
    }
  }

  send(session: string, text: string, options?: CommandOptions): Promise<{ readonly turn: string }> {
    return this.#call("send", { session, body: { text }, ...options });
  }

  steer(session: string, text: string, options?: CommandOptions): Promise<void> {
    return this.#call("steer", { session, body: { text }, ...options });
  }

  inject(session: string, text: string, options?: CommandOptions): Promise<void> {
    return this.#call("inject", { session, body: { text }, ...options });
  }

  answer(session: string, decision: string, answer: Answer, options?: CommandOptions): Promise<void> {
    return this.#call("answer", { session, body: { decision, answer }, ...options });
  }

  interrupt(session: string, options?: CommandOptions): Promise<void> {
    return this.#call("interrupt", { session, ...options });
  }

  pause(session: string, options?: CommandOptions): Promise<Checkpoint> {
    return this.#call("pause", { session, ...options });
  }

  checkpoint(session: string): Promise<Checkpoint> {
    return this.#call("checkpoint", { session });
  }

  resume(session: string, order: Resume = {}, options?: CommandOptions): Promise<SessionView> {
    return this.#call("resume", { session, body: order, ...options });
  }

  fork(session: string, order: Fork = {}, options?: CommandOptions): Promise<SessionView> {
    return this.#call("fork", { session, body: order, ...options });
  }

  stop(session: string, options?: CommandOptions): Promise<SessionView> {
    return this.#call("stop", { session, ...options });
  }

  takeOver(session: string, size: TerminalSize, options?: CommandOptions): Promise<void> {
    return this.#call("takeOver", { session, body: size, ...options });
  }

  type(session: string, text: string): Promise<void> {
    // Not tried again: a key that nobody knows to have been heard is better lost than pressed twice.
    return call(this.#wire, new Patience(0), "type", { session, body: { text } });
  }

  resize(session: string, size: TerminalSize): Promise<void> {
    return this.#call("resize", { session, body: size });
  }

  handBack(session: string, options?: CommandOptions): Promise<void> {
    return this.#call("handBack", { session, ...options });
  }

  forget(session: string, options?: CommandOptions): Promise<void> {
    return this.#call("forget", { session, ...options });
  }

  decisions(): Promise<readonly DecisionView[]> {
    return this.#call("decisions");
  }

  files(session: string): Promise<readonly FileView[]> {
    return this.#call("files", { session });
  }

  diff(session: string): Promise<Diff> {
    return this.#call("diff", { session });
  }

  usage(session?: string): Promise<readonly UsageView[]> {
    return this.#call("usage", session === undefined ? {} : { query: { session } });
  }

  /** Ends the service; the agents go on. Not of the interface: a service in one's own process is simply disposed of. */
  shutdown(): Promise<void> {
    return this.#call("shutdown");
  }

  #call<Name extends RouteName>(name: Name, calling: Calling<Name> = {}): Promise<ReplyOf<Name>> {
    return call(this.#wire, new Patience(this.#patience), name, calling);
  }
}

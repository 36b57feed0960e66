import type { Event } from "@fairlead/contract";
import { Account } from "./account.ts";

/** The accounts of all sessions, each carried on from where it was: only what is new is read. */
export class Accounts {
  readonly #events: (session: string, after: number) => AsyncIterable<Event>;
  readonly #accounts = new Map<string, Account>();
  /** Readings under way, one after the other for each session: an event must be counted once. */
  readonly #reading = new Map<string, Promise<Account>>();

  constructor(events: (session: string, after: number) => AsyncIterable<Event>) {
    this.#events = events;
  }

  /** The account of a session, up to at least its event of that number. */
  async upTo(session: string, last: number): Promise<Account> {
    for (;;) {
      const account = this.#accounts.get(session);
      if (account !== undefined && account.last >= last) return account;
      // A reading that is under way may have begun too early; then the next one has the rest.
      await (this.#reading.get(session) ?? this.#read(session));
    }
  }

  /** Should there be a session of that id again, it is another one. */
  forget(session: string): void {
    this.#accounts.delete(session);
  }

  #read(session: string): Promise<Account> {
    const reading = this.#carryOn(session).finally(() => this.#reading.delete(session));
    this.#reading.set(session, reading);
    return reading;
  }

  async #carryOn(session: string): Promise<Account> {
    const account = this.#accounts.get(session) ?? new Account();
    this.#accounts.set(session, account);
    for await (const event of this.#events(session, account.last)) account.add(event);
    return account;
  }
}

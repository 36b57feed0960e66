import type { BatchTable } from "./batch-table.ts";

/** A watcher's subscription. It remembers a change that arrives while the watcher reads, so that none is missed. */
class ChangeSubscription implements Disposable {
  readonly session: string;
  readonly #unsubscribe: (subscription: ChangeSubscription) => void;
  #change = Promise.withResolvers<void>();

  constructor(session: string, unsubscribe: (subscription: ChangeSubscription) => void) {
    this.session = session;
    this.#unsubscribe = unsubscribe;
  }

  notify(): void {
    this.#change.resolve();
  }

  async waitForChange(): Promise<void> {
    await this.#change.promise;
    this.#change = Promise.withResolvers();
  }

  [Symbol.dispose](): void {
    this.#unsubscribe(this);
  }
}

/** Notifies watchers when any process appends to their session. It watches the file only while it has subscribers. */
export class ChangeNotifier implements Disposable {
  readonly #table: BatchTable;
  readonly #startFileWatch: (onChange: () => void) => Disposable;
  readonly #subscriptions = new Set<ChangeSubscription>();
  #fileWatch: Disposable | undefined;
  #lastSeenId = 0;

  constructor(table: BatchTable, startFileWatch: (onChange: () => void) => Disposable) {
    this.#table = table;
    this.#startFileWatch = startFileWatch;
  }

  subscribe(session: string): ChangeSubscription {
    if (this.#fileWatch === undefined) {
      this.#lastSeenId = this.#table.newestId();
      this.#fileWatch = this.#startFileWatch(() => this.checkForChanges());
    }
    const subscription = new ChangeSubscription(session, (closedSubscription) => this.#unsubscribe(closedSubscription));
    this.#subscriptions.add(subscription);
    return subscription;
  }

  /** Notifies the subscribers of all sessions that changed since the last check. */
  checkForChanges(): void {
    if (this.#subscriptions.size === 0) return;
    try {
      const changedSessions = new Set<string>();
      for (const { session, id } of this.#table.sessionsChangedSince(this.#lastSeenId)) {
        changedSessions.add(session);
        this.#lastSeenId = Math.max(this.#lastSeenId, id);
      }
      if (changedSessions.size > 0) this.#notify((subscription) => changedSessions.has(subscription.session));
    } catch {
      // This check has no caller that could handle the error. Each notified watcher gets it when it reads.
      this.#notify(() => true);
    }
  }

  [Symbol.dispose](): void {
    this.#fileWatch?.[Symbol.dispose]();
    this.#notify(() => true);
  }

  #notify(matches: (subscription: ChangeSubscription) => boolean): void {
    for (const subscription of this.#subscriptions) if (matches(subscription)) subscription.notify();
  }

  #unsubscribe(subscription: ChangeSubscription): void {
    this.#subscriptions.delete(subscription);
    if (this.#subscriptions.size > 0) return;
    this.#fileWatch?.[Symbol.dispose]();
    this.#fileWatch = undefined;
  }
}

import { type ErrorCode, FairleadError } from "@fairlead/contract";

/** After errors of other codes, the service has refused the request, and remembers that for its key. */
const unknownOutcomes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "unavailable",
  "timed-out",
  "indeterminate",
  "fenced",
  "corrupt",
]);

interface KeptKey {
  readonly content: string;
  readonly key: string;
}

/**
 * Gives requests their idempotency keys. A request whose outcome is unknown has the same key when a person sends it again,
 * also after a reload of the tab, so that it counts once.
 */
export class RepeatKey {
  readonly #storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  readonly #name: string;

  constructor(storage: Pick<Storage, "getItem" | "setItem" | "removeItem">, name: string) {
    this.#storage = storage;
    this.#name = name;
  }

  /** Returns the key of a request with this content. */
  keyFor(content: string): string {
    const kept = JSON.parse(this.#storage.getItem(this.#name) ?? "null") as KeptKey | null;
    if (kept?.content === content) return kept.key;
    const key = crypto.randomUUID();
    this.#storage.setItem(this.#name, JSON.stringify({ content, key } satisfies KeptKey));
    return key;
  }

  /** Notes the outcome of the request. `error`: null after a success. */
  settle(error: unknown): void {
    const isKnown = error === null || (FairleadError.isInstance(error) && !unknownOutcomes.has(error.code));
    if (isKnown) this.#storage.removeItem(this.#name);
  }
}

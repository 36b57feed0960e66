import type { ObjectStore } from "@fairlead/engine";

/** An object store in memory that records the keys and sizes of what is put. */
export class CountingObjects implements ObjectStore {
  readonly stored = new Map<string, Uint8Array>();
  readonly puts: { readonly key: string; readonly bytes: number }[] = [];

  async put(key: string, bytes: Uint8Array): Promise<void> {
    this.puts.push({ key, bytes: bytes.length });
    this.stored.set(key, Uint8Array.from(bytes));
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const bytes = this.stored.get(key);
    return bytes && Uint8Array.from(bytes);
  }

  async *list(prefix: string): AsyncGenerator<string> {
    yield* [...this.stored.keys()].filter((key) => key.startsWith(prefix)).toSorted();
  }

  async remove(key: string): Promise<void> {
    this.stored.delete(key);
  }
}

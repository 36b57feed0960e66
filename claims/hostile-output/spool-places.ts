import { SpoolReader } from "@fairlead/keeper";

/** Tells which record of a spool has a given byte of what the agent said. Bytes must be asked for in their order. */
export class SpoolPlaces {
  readonly #reader: SpoolReader;
  #records: { readonly seq: number; readonly end: number }[] = [];
  #read = 0;

  constructor(folder: string) {
    this.#reader = new SpoolReader(folder);
  }

  recordOf(byte: number): number | null {
    for (;;) {
      const first = this.#records[0];
      if (first !== undefined && byte < first.end) return first.seq;
      if (first !== undefined) this.#records.shift();
      else if (!this.#readMore()) return null;
    }
  }

  #readMore(): boolean {
    const records = this.#reader.read();
    for (const { seq, kind, bytes } of records) {
      if (kind === "out") this.#records.push({ seq, end: (this.#read += bytes.length) });
    }
    return records.length > 0;
  }
}

import { SpoolReader } from "@fairlead/keeper";

/** Finds the spool record that contains a byte of the agent's output. Bytes must be requested in order. */
export class SpoolRecordLocator {
  readonly #reader: SpoolReader;
  #records: { readonly seq: number; readonly end: number }[] = [];
  #readBytes = 0;

  constructor(folder: string) {
    this.#reader = new SpoolReader(folder);
  }

  findRecord(byte: number): number | null {
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
      if (kind === "out") this.#records.push({ seq, end: (this.#readBytes += bytes.length) });
    }
    return records.length > 0;
  }
}

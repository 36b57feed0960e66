/** A reader wants records that were trimmed away, because everybody who needs them was said to have them. */
export class SpoolTrimmed extends Error {
  readonly firstSeq: number;

  constructor(wanted: number, firstSeq: number) {
    super(`Record ${wanted} was trimmed from the spool; the first that is left is ${firstSeq}.`);
    this.name = "SpoolTrimmed";
    this.firstSeq = firstSeq;
  }
}

/** A reader needs records that a client has trimmed, because it reported them as no longer needed. */
export class SpoolTrimmed extends Error {
  readonly firstSeq: number;

  constructor(requestedSeq: number, firstSeq: number) {
    super(`Record ${requestedSeq} was trimmed from the spool. The first remaining record is ${firstSeq}.`);
    this.name = "SpoolTrimmed";
    this.firstSeq = firstSeq;
  }
}

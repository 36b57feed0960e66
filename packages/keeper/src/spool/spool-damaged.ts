/** The spool has bytes that no interrupted write explains. Reading stops there instead of guessing what they were. */
export class SpoolDamaged extends Error {
  readonly file: string;
  readonly offset: number;

  constructor(file: string, offset: number, reason: string) {
    super(`The spool is damaged at byte ${offset} of ${file}: ${reason}.`);
    this.name = "SpoolDamaged";
    this.file = file;
    this.offset = offset;
  }
}

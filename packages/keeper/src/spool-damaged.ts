/** A spool holds something that no interrupted write explains. Nobody guesses what it was: reading stops here. */
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
